import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { announce } from './progress.mjs'
import { inRoot } from './root.mjs'
import { run } from './run.mjs'

/**
 * What to install: `runtime` builds and runs (no native code), `tests` also tests, `guards` are the tools that check the code.
 * @typedef {'runtime' | 'tests' | 'guards'} Scope
 */

/** Folder with package.json and lock file of the guards. */
const GUARDS = ['tools', 'guards']
/** No package needs its install script, so none runs. */
const OPTIONS = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=warn']

/**
 * Runs `npm ci`, unless the last complete installation was of the same lock file, is unchanged and large enough. Tests stay installed.
 * @param {Scope} scope
 * @returns {Promise<number>} npm's exit code
 */
export async function install(scope) {
  const folder = scope === 'guards' ? inRoot(...GUARDS) : inRoot()
  const stamp = join(folder, 'node_modules', '.slotwire-install.json')
  const last = existsSync(stamp)
    ? /** @type {{ lock: string, installed: string, scope: Scope }} */ (JSON.parse(readFileSync(stamp, 'utf8')))
    : undefined
  const wanted = last?.scope === 'tests' ? 'tests' : scope
  const lock = hashOf(join(folder, 'package-lock.json'))
  // npm's own account of what is installed: another npm command may have changed that.
  const account = join(folder, 'node_modules', '.package-lock.json')
  if (last?.lock === lock && last.installed === hashOf(account) && last.scope === wanted) return 0
  announce('Installing…')
  rmSync(stamp, { force: true })
  const code = await npm(['ci', wanted === 'runtime' ? '--omit=dev' : '--include=dev', '--prefix', folder, ...OPTIONS])
  if (code === 0) writeFileSync(stamp, JSON.stringify({ lock, installed: hashOf(account), scope: wanted }))
  return code
}

/** @param {string} file */
function hashOf(file) {
  return existsSync(file) ? createHash('sha256').update(readFileSync(file)).digest('hex') : ''
}

/**
 * Runs npm in the environment of the user, whichever npm command started us.
 * @param {readonly string[]} args
 * @returns {Promise<number>} its exit code
 */
export function npm(args) {
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
