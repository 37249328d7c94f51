import { MAX_LABEL_BYTES } from './mdns/dns-name.ts'

/** What people see in a browser: `io-module on press-4`. Of a name that is too long the end counts: the numeric suffix is there. */
export function instanceLabel(service: string, hostName: string): string {
  const before = `${service} on `
  return before + hostName.slice(-(MAX_LABEL_BYTES - before.length))
}
