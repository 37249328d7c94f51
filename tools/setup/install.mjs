import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inRoot } from './root.mjs'
import { announced, run } from './run.mjs'

/**
 * What to install: `runtime` builds and runs (no native code), `tests` also tests, `guards` are the tools that check the code.
 * @typedef {'runtime' | 'tests' | 'guards'} Scope
 * @typedef {{ version?: string, dev?: boolean, optional?: boolean, devOptional?: boolean, os?: string[], cpu?: string[] }} LockEntry
 */

/**
 * Runs `npm ci` if a package is missing or has another version than in the lock file. Keeps what tests need.
 * @param {Scope} scope
 * @returns {Promise<number>} npm's exit code
 */
export async function install(scope) {
  const folder = scope === 'guards' ? inRoot('tools', 'guards') : inRoot()
  // npm writes this file last: without it, an installation was interrupted. It may list versions that were never unpacked.
  const record = join(folder, 'node_modules', '.package-lock.json')
  const needed = neededPackages(folder)
  const dev = scope !== 'runtime' || needed.some((one) => one.dev && manifestOf(one.path) !== undefined)
  if (existsSync(record) && needed.every((one) => (one.dev && !dev) || isInstalled(one))) return 0
  rmSync(record, { force: true })
  const options = [dev ? '--include=dev' : '--omit=dev', '--include=optional', '--ignore-scripts', '--prefix', folder]
  return announced('Installing packages', () => npm(['ci', ...options]))
}

/**
 * The packages in the lock file, without those that npm skips on this machine. The bundler's own program counts: it is a package for each machine.
 * @param {string} folder
 */
function neededPackages(folder) {
  const lock = /** @type {{ packages: Record<string, LockEntry> }} */ (
    JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
  )
  return Object.entries(lock.packages)
    .filter(
      ([path, entry]) => path.includes('node_modules/') && !entry.devOptional && (!entry.optional || isForThisMachine(entry)),
    )
    .map(([path, { version, dev = false }]) => ({ path: join(folder, path), version, dev }))
}

/** @param {LockEntry} entry of an optional package */
function isForThisMachine({ dev = false, os, cpu }) {
  return !dev && os?.includes(process.platform) === true && cpu?.includes(process.arch) === true
}

/** @param {{ path: string, version: string | undefined }} one without a version: a link to a folder of the repository */
function isInstalled({ path, version }) {
  const manifest = manifestOf(path)
  return manifest !== undefined && (version === undefined || manifest.version === version)
}

/** @param {string} folder */
function manifestOf(folder) {
  const file = join(folder, 'package.json')
  return existsSync(file) ? /** @type {{ version?: string }} */ (JSON.parse(readFileSync(file, 'utf8'))) : undefined
}

/**
 * Runs npm, which prints only errors.
 * @param {readonly string[]} args
 * @returns {Promise<number>} its exit code
 */
export function npm(args) {
  return run('npm', [...args, '--no-audit', '--no-fund', '--loglevel=warn'], { quiet: true })
}
