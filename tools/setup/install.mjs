import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { announce } from './progress.mjs'
import { inRoot } from './root.mjs'
import { run } from './run.mjs'
import { readStamp, writeStamp } from './stamp.mjs'

/**
 * How much is installed: `runtime` builds and runs (and has no native code), `all` also tests and checks.
 * @typedef {'runtime' | 'all'} Scope
 */

/**
 * @typedef {{ scope: Scope, wanted: string, found: string, platform: string }} Installation
 */

const STAMP = inRoot('node_modules', '.slotwire-install.json')

/**
 * Installs what package-lock.json names, unless the last complete installation was of the same file and large enough. What was there for
 * tests and checks stays there.
 * @param {Scope} asked
 * @returns {Promise<number>} npm's exit code
 */
export async function install(asked) {
  const last = lastInstallation()
  if (last !== undefined && isInstalled(asked, last)) return 0
  const scope = last?.scope === 'all' ? 'all' : asked
  announce('Installing…')
  // No package needs its install script; so none is run.
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=warn']
  const code = await npm(['ci', scope === 'all' ? '--include=dev' : '--omit=dev', ...options])
  if (code === 0) writeStamp(STAMP, { scope, ...state() })
  return code
}

/**
 * @param {Scope} scope
 * @param {Installation} last
 */
function isInstalled(scope, last) {
  const { wanted, found, platform } = state()
  const same = last.wanted === wanted && last.found === found && last.platform === platform
  return same && (last.scope === 'all' || last.scope === scope)
}

/** @returns {Installation | undefined} the last that was complete */
function lastInstallation() {
  return /** @type {Installation | undefined} */ (readStamp(STAMP))
}

/** What is wanted, and what npm noted down about node_modules: changes with every npm command that touches it. */
function state() {
  const found = inRoot('node_modules', '.package-lock.json')
  return {
    wanted: digest(inRoot('package-lock.json')),
    found: existsSync(found) ? digest(found) : '',
    platform: `${process.platform} ${process.arch}`,
  }
}

/** @param {string} file */
function digest(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

/** @param {readonly string[]} args */
function npm(args) {
  const script = npmScript()
  const options = { quiet: true, env: environment(process.env) }
  return script === undefined ? run('npm', args, options) : run(process.execPath, [script, ...args], options)
}

/** The npm that started us, or else the one that came with this Node.js; undefined: whichever is on the PATH. */
function npmScript() {
  const starter = process.env['npm_execpath']
  if (starter !== undefined && basename(starter) === 'npm-cli.js') return starter
  const bundled = join(dirname(process.execPath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js')
  return existsSync(bundled) ? bundled : undefined
}

/** Settings of a user about where packages come from. */
const KEPT =
  /^npm_config_(registry|cache|.*proxy|ca|cafile|strict_ssl|userconfig|globalconfig|offline|prefer_offline|fetch_.*|\/\/.*|@.*)$/i

/**
 * Without what the npm around us says about its own command: it would give this command its prefix, log level or scope.
 * @param {NodeJS.ProcessEnv} outer
 * @returns {NodeJS.ProcessEnv}
 */
export function environment(outer) {
  return Object.fromEntries(Object.entries(outer).filter(([name]) => !/^npm_/i.test(name) || KEPT.test(name)))
}
