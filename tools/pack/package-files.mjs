import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { BUNDLED } from '../build/bundle.mjs'
import { BUILT, exportedSources } from '../build/program.mjs'
import { inRoot } from '../setup/root.mjs'
import { runtimePackages } from './closure.mjs'
import { bundleDeclarations } from './declarations.mjs'
import { licencesOf } from './licences.mjs'

/**
 * One file of a package: its path in it, and its content.
 * @typedef {{ to: string, content: Buffer | string, executable?: boolean }} PackagedFile
 * @typedef {{
 *   name: string, version: string, description: string, keywords: string[], license: string, homepage: string, repository: object,
 *   bugs: string, bin: object,
 *   exports: Record<string, { types: string, browser?: string, default: string }>, dependencies: Record<string, string>,
 * }} Manifest
 */

/** The workspace of the public package. */
const CLI = 'apps/cli'
/** The files that do something when imported: bundlers leave out others that are not used. */
const RUN_WHEN_IMPORTED = ['./bin/*', './dist/main.js', './dist/vitest.js']
/** The workspace of the console. */
const CONSOLE = 'apps/console'
/** Our declarations name types of Node.js. The user's version of them is right. */
const TYPES = { '@types/node': '>=20' }
/** `slotwire/vitest` is for projects that have vitest. */
const PEERS = { peerDependencies: { vitest: '>=3.2' }, peerDependenciesMeta: { vitest: { optional: true } } }
/** Checks the version of Node.js before it imports files that an old version could not parse. */
const LAUNCHER = "#!/usr/bin/env node\nimport './require-node.mjs'\n\nawait import('../dist/main.js')\n"
/** Pages for users, and the pages and pictures that they link to. Their folders are those of the repository, so that links work. */
const PAGES = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'LICENSE', 'docs', 'examples']
const PAGE = /\.(md|svg|ya?ml|json)$|^LICENSE$|^examples\/.*\.(mjs|py)$|^docs\/images\/console-(device|io|bench)-1440-light\.png$/
const NOTICES = `Slotwire is under the MIT licence: see LICENSE. npm installs these packages with it. The code of
the packages of the console (preact, uplot), of mqtt and of sparkplug-payload, and of what these
need, is part of this package; that of the others is not.
`

/** The declared version of Slotwire. */
export function declaredVersion() {
  return cliManifest().version
}

/**
 * The foreign packages that the program needs at run time, and which of them it names; `bundled` are those whose code is in its files.
 */
export function neededPackages() {
  const lock = /** @type {import('./closure.mjs').Lock} */ (readJson('package-lock.json'))
  const { dependencies, foreign } = runtimePackages(lock, CLI, BUNDLED)
  const installed = new Set(foreign.map(({ folder }) => folder))
  const starts = [CONSOLE, ...BUNDLED.map((name) => `node_modules/${name}`)]
  const bundled = starts.flatMap((start) => runtimePackages(lock, start).foreign).filter(({ folder }) => !installed.has(folder))
  return { dependencies, foreign, bundled }
}

/**
 * The built program: a launcher, the code with its source maps and declarations, and the manifest.
 * @returns {Promise<PackagedFile[]>}
 */
export async function programFiles() {
  const manifest = cliManifest()
  const { dependencies } = neededPackages()
  const foreign = [...Object.keys(dependencies), ...BUNDLED, ...Object.keys(PEERS.peerDependencies)]
  const built = below(relative(inRoot(), BUILT)).map((path) => ({ to: relative(CLI, path), content: readFileSync(inRoot(path)) }))
  const declarations = await bundleDeclarations(exportedSources(), foreign)
  return [
    { to: 'package.json', content: `${JSON.stringify(publicManifest(manifest, dependencies), null, 2)}\n` },
    { to: 'bin/slotwire.js', content: LAUNCHER, executable: true },
    { to: 'bin/require-node.mjs', content: readFileSync(inRoot('tools', 'setup', 'require-node.mjs')) },
    ...built,
    ...[...declarations].map(([name, content]) => ({ to: `dist/${name}`, content })),
  ]
}

/**
 * README, licence, guides and examples.
 * @returns {PackagedFile[]}
 */
export function pageFiles() {
  return PAGES.flatMap(below)
    .filter((file) => PAGE.test(file))
    .map((file) => ({ to: file, content: readFileSync(inRoot(file)) }))
}

/**
 * The licences of all packages that npm installs with ours.
 * @returns {PackagedFile}
 */
export function noticesFile() {
  const { foreign, bundled } = neededPackages()
  return { to: 'THIRD-PARTY-NOTICES.txt', content: licencesOf(NOTICES, [...foreign, ...bundled]) }
}

/**
 * @param {Manifest} manifest of the workspace
 * @param {Record<string, string>} dependencies
 */
function publicManifest({ exports, ...manifest }, dependencies) {
  const { name, version, description, keywords, license, homepage, repository, bugs, bin } = manifest
  const { engines } = /** @type {{ engines: object }} */ (readJson('package.json'))
  // In a clone the types are the sources.
  const ways = Object.entries(exports).map(([way, one]) => [way, { ...one, types: one.default.replace(/\.js$/, '.d.ts') }])
  return {
    ...{ name, version, description, keywords, license, homepage, repository, bugs, type: 'module', engines, bin },
    sideEffects: RUN_WHEN_IMPORTED,
    exports: { ...Object.fromEntries(ways), './package.json': './package.json' },
    dependencies: { ...TYPES, ...dependencies },
    ...PEERS,
  }
}

function cliManifest() {
  return /** @type {Manifest} */ (readJson(CLI, 'package.json'))
}

/**
 * @param {string[]} path
 * @returns {unknown}
 */
function readJson(...path) {
  return JSON.parse(readFileSync(inRoot(...path), 'utf8'))
}

/**
 * Every file below a folder of the repository, or a file itself. Links count as their targets.
 * @param {string} path
 * @returns {string[]}
 */
export function below(path) {
  if (!existsSync(inRoot(path))) return []
  if (!statSync(inRoot(path)).isDirectory()) return [path]
  return readdirSync(inRoot(path)).flatMap((name) => below(join(path, name)))
}
