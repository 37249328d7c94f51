import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inRoot } from '../setup/root.mjs'
import { bundle } from './bundle.mjs'
import { writeBundle } from './program.mjs'

/** Below node_modules: foreign packages are found from there. */
const FOLDER = inRoot('node_modules', '.slotwire-sources')

/**
 * Bundles single sources for a program without TypeScript, and returns the addresses to import. What they share is the same in all of them.
 * @template {string} Name
 * @param {Readonly<Record<Name, string>>} entries the source of each name, in the repository
 * @returns {Promise<Readonly<Record<Name, string>>>}
 */
export async function bundleSources(entries) {
  const folder = join(FOLDER, createHash('sha256').update(JSON.stringify(entries)).digest('hex').slice(0, 16))
  writeBundle(folder, (await bundle(entries, folder)).files)
  const addresses = Object.keys(entries).map(
    (name) => /** @type {const} */ ([name, pathToFileURL(join(folder, `${name}.js`)).href]),
  )
  return /** @type {Record<Name, string>} */ (Object.fromEntries(addresses))
}
