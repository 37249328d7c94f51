import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import { maintainer } from './maintainer.mjs'
import { packaging } from './program-files.mjs'
import { SETTINGS_FILES, unitNames } from './system-files.mjs'

/** @typedef {import('../pack/package-files.mjs').PackagedFile} PackagedFile */

/** Scripts that dpkg runs before and after it changes files. */
const SCRIPTS = ['postinst', 'prerm', 'postrm']
const KIBIBYTE = 1024
/**
 * The files that describe the package to dpkg.
 * @param {readonly PackagedFile[]} files
 * @param {{ version: string, architecture: string }} about
 * @returns {PackagedFile[]}
 */
export function controlFiles(files, about) {
  const units = unitNames().join(' ')
  const sums = files.filter(({ to }) => !SETTINGS_FILES.includes(to)).map(({ to, content }) => `${md5(content)}  ${to}\n`)
  return [
    { to: 'DEBIAN/control', content: control(files, about) },
    { to: 'DEBIAN/conffiles', content: SETTINGS_FILES.map((file) => `/${file}\n`).join('') },
    { to: 'DEBIAN/md5sums', content: sums.sort((a, b) => (a.slice(32) < b.slice(32) ? -1 : 1)).join('') },
    ...SCRIPTS.map((name) => ({
      to: `DEBIAN/${name}`,
      content: packaging(`${name}.sh`).replaceAll('@UNITS@', units),
      executable: true,
    })),
  ]
}

/**
 * The version in Debian's notation, in which a pre-release sorts before its release.
 * @param {string} version as npm writes it
 */
export function debianVersion(version) {
  return version.replace('-', '~')
}

/**
 * @param {readonly PackagedFile[]} files
 * @param {{ version: string, architecture: string }} about
 */
function control(files, { version, architecture }) {
  return packaging('control')
    .replace('@MAINTAINER@', () => maintainer(process.env))
    .replace('@VERSION@', debianVersion(version))
    .replace('@ARCHITECTURE@', architecture)
    .replace('@INSTALLED_SIZE@', String(installedSize(files)))
}

/**
 * In KiB. Each file is rounded up and each folder counted as one, as Debian's tools do.
 * @param {readonly PackagedFile[]} files
 */
function installedSize(files) {
  const folders = new Set(files.flatMap(({ to }) => ancestors(to)))
  return files.reduce((sum, { content }) => sum + Math.ceil(Buffer.byteLength(content) / KIBIBYTE), folders.size)
}

/**
 * @param {string} path
 * @returns {string[]}
 */
function ancestors(path) {
  const folder = dirname(path)
  return folder === '.' ? [] : [folder, ...ancestors(folder)]
}

/** @param {Buffer | string} content */
function md5(content) {
  return createHash('md5').update(content).digest('hex')
}

/**
 * The change log in Debian's format. The real history is in the source repository.
 * @param {string} version
 * @param {number} date of the last change, in seconds since 1970
 */
export function changelog(version, date) {
  const when = new Date(date * 1000).toUTCString().replace('GMT', '+0000')
  return `slotwire (${version}) unstable; urgency=medium\n\n  * Built from the sources of this date.\n\n -- ${maintainer(process.env)}  ${when}\n`
}
