import { accessSync, constants } from 'node:fs'

/** Where avahi is on this host. */
export interface AvahiPaths {
  /** Of its simple protocol. */
  readonly socket: string
  /** The folder of its service files. */
  readonly services: string
}

export const AVAHI_PATHS: AvahiPaths = { socket: '/run/avahi-daemon/socket', services: '/etc/avahi/services' }

/** Why avahi cannot be told of services, and what to do; undefined: it can. */
export function whyUnwritable({ services }: AvahiPaths): string | undefined {
  try {
    accessSync(services, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return `${services} cannot be written (${reason}): let this user write there (setfacl -m u:<user>:rwx ${services}), or set discovery to own`
  }
}
