import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import { inRoot } from '../setup/root.mjs'

const OWN = '@slotwire/'
/** Declarations name types of Node.js. */
const BANNER = '/// <reference types="node" />'

/**
 * Bundles the compiled declarations of our own packages, so that none of their names remains. Types that several entries have are in a
 * shared file: a class is the same in all of them.
 * @param {Readonly<Record<string, string>>} entries the compiled declarations of each file
 * @param {readonly string[]} foreign names of the packages that may be imported
 * @returns {Promise<ReadonlyMap<string, string>>} files by their names
 */
export async function bundleDeclarations(entries, foreign) {
  const input = Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, inRoot(file)]))
  const bundle = await rollup({
    input,
    external: [/^node:/, ...foreign],
    plugins: [{ name: 'own packages', resolveId: (id) => (id.startsWith(OWN) ? declarationsOf(id) : undefined) }, dts()],
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

/**
 * Not with `import.meta.resolve`: in tests it finds sources.
 * @param {string} id
 */
function declarationsOf(id) {
  const [, name = '', rest] = /^@slotwire\/([^/]+)(?:\/(.*))?$/.exec(id) ?? []
  const folder = inRoot('node_modules', '@slotwire', name)
  const { exports } = /** @type {{ exports: Record<string, { types: string }> }} */ (
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  )
  const { types = '' } = exports[rest === undefined ? '.' : `./${rest}`] ?? exports['./*'] ?? {}
  return realpathSync(join(folder, types.replace('*', rest ?? '')))
}
