import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { noticesFile, pageFiles, programFiles } from './package-files.mjs'

/** @typedef {import('./package-files.mjs').PackagedFile} PackagedFile */

/** For people with a clone. */
const FOR_CONTRIBUTORS = /^(CONTRIBUTING\.md|docs\/decisions\/.*)$/

/**
 * Makes the npm package from the compiled files. The same sources give the same bytes.
 * @param {string} output folder for the tarball
 * @returns {Promise<string>} the tarball
 */
export async function makeTarball(output) {
  const folder = mkdtempSync(join(tmpdir(), 'slotwire-npm-'))
  try {
    const pages = pageFiles().filter(({ to }) => !FOR_CONTRIBUTORS.test(to))
    for (const file of [...(await programFiles()), noticesFile(), ...pages]) writePackaged(folder, file)
    mkdirSync(output, { recursive: true })
    const report = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', output], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [{ filename = '' } = {}] = /** @type {{ filename?: string }[]} */ (JSON.parse(report))
    return join(output, filename)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * @param {string} folder
 * @param {PackagedFile} file
 */
export function writePackaged(folder, { to, content, executable }) {
  const path = join(folder, to)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  chmodSync(path, executable === true ? 0o755 : 0o644)
}
