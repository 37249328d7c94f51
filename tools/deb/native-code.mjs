import { DebError } from './deb-error.mjs'

const ELF = Buffer.from([0x7f, 0x45, 0x4c, 0x46])

/**
 * Throws for a file with machine-specific code: the packages of all architectures have the same files.
 * @param {readonly import('./program-files.mjs').PackagedFile[]} files
 */
export function refuseNativeCode(files) {
  const native = files.find(({ to, content }) => to.endsWith('.node') || Buffer.from(content.slice(0, ELF.length)).equals(ELF))
  if (native !== undefined) throw new DebError(`${native.to} is machine-specific code; the package must work on all machines`)
}
