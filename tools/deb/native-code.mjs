import { DebError } from './deb-error.mjs'

const ELF = Buffer.from([0x7f, 0x45, 0x4c, 0x46])

/**
 * Throws when a file is for one kind of machine alone: the packages for all kinds have the same files.
 * @param {readonly import('./program-files.mjs').PackagedFile[]} files
 */
export function refuseNativeCode(files) {
  const native = files.find(({ to, content }) => to.endsWith('.node') || Buffer.from(content.slice(0, ELF.length)).equals(ELF))
  if (native !== undefined) throw new DebError(`${native.to} is code of one machine alone; the package is the same for all`)
}
