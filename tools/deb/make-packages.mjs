import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { licencesOf } from '../pack/licences.mjs'
import { writePackaged } from '../pack/make-tarball.mjs'
import { PackError } from '../pack/pack-error.mjs'
import { declaredVersion, neededPackages, programFiles } from '../pack/package-files.mjs'
import { inRoot } from '../setup/root.mjs'
import { changelog, controlFiles, debianVersion } from './control.mjs'
import { installedFiles, packaging } from './program-files.mjs'
import { systemFiles } from './system-files.mjs'

/** @typedef {import('../pack/package-files.mjs').PackagedFile} PackagedFile */

const DOCUMENTS = 'usr/share/doc/slotwire'
const ELF = Buffer.from([0x7f, 0x45, 0x4c, 0x46])

/**
 * Makes a package for each architecture from the installed and built files. The same sources give the same bytes.
 * @param {import('./options.mjs').DebOptions} options
 * @returns {Promise<string[]>} the packages' files
 */
export async function makePackages({ architectures, output }) {
  requireDpkgDeb()
  const date = sourceDate()
  const version = declaredVersion()
  const { foreign, bundled } = neededPackages()
  const files = [
    ...installedFiles(await programFiles(), foreign),
    ...systemFiles(),
    { to: `${DOCUMENTS}/copyright`, content: licencesOf(packaging('copyright-head.txt'), [...foreign, ...bundled]) },
    { to: `${DOCUMENTS}/changelog.gz`, content: gzipSync(changelog(debianVersion(version), date), { level: 9 }) },
  ]
  refuseNativeCode(files)
  mkdirSync(output, { recursive: true })
  return architectures.map((architecture) => {
    const file = join(output, `slotwire_${debianVersion(version)}_${architecture}.deb`)
    pack([...files, ...controlFiles(files, { version, architecture })], date, file)
    return file
  })
}

/**
 * @param {readonly PackagedFile[]} files
 * @param {number} date
 * @param {string} to
 */
function pack(files, date, to) {
  const folder = mkdtempSync(join(tmpdir(), 'slotwire-deb-'))
  try {
    for (const file of files) writePackaged(folder, file)
    settleFolders(folder, date)
    // One thread: with more, the data would be split elsewhere.
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(date), DPKG_DEB_THREADS_MAX: '1' }
    execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '--build', folder, to], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Gives all files in a folder the same date, and folders the usual mode, whatever the umask.
 * @param {string} folder
 * @param {number} date
 */
function settleFolders(folder, date) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) settleFolders(path, date)
    else utimesSync(path, date, date)
  }
  chmodSync(folder, 0o755)
  utimesSync(folder, date, date)
}

/** Time of the last change of the sources, in seconds since 1970: `SOURCE_DATE_EPOCH`, or the last commit. */
function sourceDate() {
  const epoch = process.env['SOURCE_DATE_EPOCH']
  const text = epoch ?? spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: inRoot(), encoding: 'utf8' }).stdout?.trim()
  if (text === undefined || !/^\d+$/.test(text)) {
    throw new PackError('the time of the last change is unknown: set SOURCE_DATE_EPOCH (seconds since 1970), or build in a clone')
  }
  return Number(text)
}

function requireDpkgDeb() {
  if (spawnSync('dpkg-deb', ['--version'], { stdio: 'ignore' }).status === 0) return
  throw new PackError(
    'dpkg-deb is missing: install the package dpkg (apt-get install dpkg, dnf install dpkg, pacman -S dpkg, brew install dpkg)',
  )
}

/**
 * Throws for a file with machine-specific code: the packages of all architectures have the same files.
 * @param {readonly PackagedFile[]} files
 */
function refuseNativeCode(files) {
  const native = files.find(({ to, content }) => to.endsWith('.node') || Buffer.from(content.slice(0, ELF.length)).equals(ELF))
  if (native !== undefined) throw new PackError(`${native.to} is machine-specific code; the package must work on all machines`)
}
