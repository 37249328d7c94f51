import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inRoot } from '../setup/root.mjs'
import { compiledFiles, foreignFiles } from './needed-files.mjs'

/** Where the program is installed, below the root. */
const PROGRAM = 'usr/lib/slotwire'
/** Says what is wrong with a Node.js that is too old, before anything that it could not read. */
const LAUNCHER = "import './require-node.mjs'\n\nawait import('./node_modules/slotwire/dist/main.js')\n"

/**
 * One file of the package: where it goes below the root, and what is in it.
 * @typedef {{ to: string, content: Buffer | string, executable?: boolean }} PackagedFile
 * @typedef {import('./closure.mjs').RuntimePackage} RuntimePackage
 */

/**
 * The program and all that it needs to run.
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
 * A file that stands in the repository as it is installed.
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
 * What Node.js reads of a manifest, without the ways to the sources.
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
