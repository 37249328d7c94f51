import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inRoot } from '../setup/root.mjs'
import { compiledFiles, foreignFiles } from './needed-files.mjs'

/** Installation folder of the program, below the root. */
const PROGRAM = 'usr/lib/slotwire'
/** Checks the version of Node.js before it imports files that an old version could not parse. */
const LAUNCHER = "import './require-node.mjs'\n\nawait import('./node_modules/slotwire/dist/main.js')\n"

/**
 * One file of the package: its path below the root, and its content.
 * @typedef {{ to: string, content: Buffer | string, executable?: boolean }} PackagedFile
 * @typedef {import('./closure.mjs').RuntimePackage} RuntimePackage
 */

/**
 * The program and everything that it needs at run time.
 * @param {readonly RuntimePackage[]} packages
 * @returns {PackagedFile[]}
 */
export function programFiles(packages) {
  return [
    { to: 'usr/bin/slotwire', content: packaging('slotwire.sh'), executable: true },
    { to: join(PROGRAM, 'slotwire.mjs'), content: LAUNCHER },
    { to: join(PROGRAM, 'require-node.mjs'), content: readFileSync(inRoot('tools', 'setup', 'require-node.mjs')) },
    ...packages.flatMap(packageFiles),
  ]
}

/**
 * A file of the repository that is installed unchanged.
 * @param {string} name
 */
export function packaging(name) {
  return readFileSync(inRoot('packaging', 'debian', name), 'utf8')
}

/** @param {RuntimePackage} one */
function packageFiles({ from, to, own }) {
  const files = own ? compiledFiles(from) : foreignFiles(from)
  const copied = files.map((file) => ({ to: join(PROGRAM, to, file), content: readFileSync(inRoot(from, file)) }))
  return own ? [{ to: join(PROGRAM, to, 'package.json'), content: ownManifest(from) }, ...copied] : copied
}

/**
 * A manifest with only what Node.js reads, without the entries for sources.
 * @param {string} from
 */
function ownManifest(from) {
  const manifest = /** @type {{ exports?: Record<string, Record<string, string>> }} */ (
    JSON.parse(readFileSync(inRoot(from, 'package.json'), 'utf8'))
  )
  const { name, version, type, license } = /** @type {Record<string, unknown>} */ (manifest)
  const ways = Object.entries(manifest.exports ?? {}).map(([way, { default: file }]) => [way, file])
  return `${JSON.stringify({ name, version, type, license, exports: Object.fromEntries(ways) }, null, 2)}\n`
}
