import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, extname, relative, resolve } from 'node:path'
import { build } from 'esbuild'
import { inRoot } from '../setup/root.mjs'

/** Files beside a source that it opens or starts: `new URL('./slot.pl', import.meta.url)`. */
const OWN_FILE = /new URL\('((?:\.\.?\/)*\w[^']*\.\w+)', import\.meta\.url\)/g
/** Foreign packages stay outside of a program, but not of what a browser loads. */
const NAME = /^[^./]/
const OWN = '@slotwire/'
const SOURCES = { filter: /\.ts$/ }
/** What only documents show of a contract. */
const DOCUMENTED = /\b(summary|spec|description):\s*(['"]).*?\2/g
/** Foreign packages whose code comes with the program, in files of their own: few need them. */
export const BUNDLED = ['mqtt', 'sparkplug-payload']

/**
 * @typedef {Readonly<Record<string, string>>} Entries the source of each file, in the repository
 * @typedef {{ files: Map<string, Uint8Array>, outputs: import('esbuild').Metafile['outputs'] }} Bundle files by their names; outputs by their paths
 */

/**
 * Bundles our own code: a file for each entry, and chunks that they share, so that a class is the same in all of them. All files are in one
 * folder, with the files that the sources open or start. Throws esbuild's error if a source has a fault.
 * @param {Entries} entries
 * @param {string} folder of the files; they are not written
 * @param {'node' | 'browser'} [platform]
 * @returns {Promise<Bundle>}
 */
export async function bundle(entries, folder, platform = 'node') {
  const isNode = platform === 'node'
  /** @type {Map<string, Uint8Array>} */
  const files = new Map()
  const { outputFiles, metafile } = await build({
    entryPoints: Object.entries(entries).map(([out, source]) => ({ in: inRoot(source), out })),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform,
    target: isNode ? 'node20.19' : 'es2022',
    chunkNames: '[name]-[hash]',
    // Names stay: errors and logs show them.
    minifyWhitespace: true,
    minifySyntax: true,
    minifyIdentifiers: !isNode,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    sourcemap: isNode,
    // A map names file and line; the text is in the repository.
    sourcesContent: false,
    absWorkingDir: inRoot(),
    tsconfigRaw: {},
    write: false,
    metafile: true,
    logLevel: 'silent',
    plugins: [
      { name: 'sources', setup: (plugin) => (isNode ? setUp(plugin, entries, files) : plugin.onLoad(SOURCES, undocumented)) },
    ],
  })
  for (const { path, contents } of outputFiles) files.set(relative(folder, path), contents)
  return { files, outputs: metafile.outputs }
}

/**
 * @param {import('esbuild').PluginBuild} plugin
 * @param {Entries} entries
 * @param {Map<string, Uint8Array>} files
 */
function setUp(plugin, entries, files) {
  plugin.onResolve({ filter: NAME }, async ({ path }) => {
    if (path.startsWith(OWN)) return undefined
    if (!BUNDLED.includes(path)) return { path, external: true }
    const file = `${path}.cjs`
    files.set(file, await bundledPackage(path))
    return { path: `./${file}`, external: true }
  })
  plugin.onLoad(SOURCES, ({ path }) => {
    const text = readFileSync(path, 'utf8')
    const contents = text.replace(
      OWN_FILE,
      (_, target) => `new URL('./${nameOf(resolve(dirname(path), target), entries, files)}', import.meta.url)`,
    )
    return contents === text ? undefined : { contents, loader: 'ts' }
  })
}

/**
 * A source as a browser needs it: without what only documents show.
 * @param {import('esbuild').OnLoadArgs} source
 * @returns {import('esbuild').OnLoadResult}
 */
function undocumented({ path }) {
  return { contents: readFileSync(path, 'utf8').replace(DOCUMENTED, "$1: ''"), loader: 'ts' }
}

/**
 * A foreign package with all that it needs in one file.
 * @param {string} name
 */
async function bundledPackage(name) {
  const { outputFiles } = await build({
    stdin: { contents: `module.exports = require('${name}')`, resolveDir: inRoot() },
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20.19',
    // Only browsers need them.
    alias: { ws: 'node:stream', 'worker-timers': 'node:timers' },
    write: false,
    logLevel: 'silent',
  })
  return outputFiles[0]?.contents ?? new Uint8Array()
}

/**
 * The name of a file in the bundle. A program of ours must be an entry; another file is added as it is.
 * @param {string} file
 * @param {Entries} entries
 * @param {Map<string, Uint8Array>} files
 */
function nameOf(file, entries, files) {
  const entry = Object.keys(entries).find((name) => inRoot(entries[name] ?? '') === file.replace(/\.js$/, '.ts'))
  if (entry !== undefined) return entry + extname(file)
  if (!existsSync(file)) throw new Error(`${file} is started as a program: make it an entry of the bundle`)
  files.set(basename(file), readFileSync(file))
  return basename(file)
}
