import { readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import { manifests } from '../setup/manifests.mjs'
import { inRoot } from '../setup/root.mjs'

const OWN = '@slotwire/'
/** Declarations name types of Node.js. */
const BANNER = '/// <reference types="node" />'

/**
 * Makes and bundles the declarations of our own packages, so that none of their names remains. Types that several entries have are in a
 * shared file: a class is the same in all of them.
 * @param {Readonly<Record<string, string>>} entries the source of each file
 * @param {readonly string[]} foreign names of the packages that may be imported
 * @returns {Promise<ReadonlyMap<string, string>>} files by their names
 */
export async function bundleDeclarations(entries, foreign) {
  const input = Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, inRoot(file)]))
  const bundle = await rollup({
    input,
    external: [/^node:/, ...foreign],
    plugins: [
      { name: 'own packages', resolveId: (id) => (id.startsWith(OWN) ? sourceOf(id) : undefined) },
      dts({ tsconfig: inRoot('tsconfig.json'), compilerOptions: { paths: sourcesOfPackages() } }),
    ],
    onwarn: ({ code, message }) => {
      // Files of declarations have no order in which they run.
      if (code !== 'CYCLIC_CROSS_CHUNK_REEXPORT') throw new Error(message)
    },
  })
  const names = { entryFileNames: '[name].d.ts', chunkFileNames: 'shared-[hash].d.ts' }
  const { output } = await bundle.generate({ ...names, banner: BANNER })
  await bundle.close()
  return new Map(output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : '']))
}

/** @param {string} id */
function sourceOf(id) {
  return realpathSync(createRequire(inRoot('package.json')).resolve(id))
}

/** Our packages by their names: TypeScript takes those that it finds in node_modules for foreign ones, and reads all sources again for each. */
function sourcesOfPackages() {
  const paths = manifests().flatMap((manifest) => {
    const text = readFileSync(inRoot(manifest), 'utf8')
    const { name, exports = {} } = /** @type {{ name: string, exports?: Record<string, string> }} */ (JSON.parse(text))
    if (!name.startsWith(OWN)) return []
    const sources = Object.entries(exports)
    return sources.map(([way, file]) => /** @type {[string, string[]]} */ ([join(name, way), [inRoot(dirname(manifest), file)]]))
  })
  return Object.fromEntries(paths)
}
