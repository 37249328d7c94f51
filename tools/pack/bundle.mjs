import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { build } from 'esbuild'
import { inRoot } from '../setup/root.mjs'
import { PackError } from './pack-error.mjs'

/** A file that sources refer to: a program that is started as a process of its own, or a part of a page. */
const PROGRAM_URL = /new URL\('([^']+)', import\.meta\.url\)/g

/**
 * Bundles our own code: a file for each entry, and chunks that they share, so that a class is the same in all of them. All files are in one
 * folder. Foreign packages are imported from outside.
 * @param {Readonly<Record<string, string>>} entries the source of each file
 * @param {readonly string[]} foreign names of the packages that may be imported
 * @param {{ platform?: 'node' | 'browser', named?: Readonly<Record<string, string>> }} [options] `named`: entries of another bundle, which this one refers to
 * @returns {Promise<ReadonlyMap<string, Buffer>>} files by their names
 */
export async function bundle(entries, foreign, { platform = 'node', named = {} } = {}) {
  /** @type {Map<string, Buffer>} */
  const files = new Map()
  const { outputFiles } = await build({
    entryPoints: entries,
    outdir: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform,
    target: platform === 'node' ? 'node20.19' : 'es2022',
    conditions: ['source'],
    external: [...foreign],
    chunkNames: platform === 'node' ? '[name]-[hash]' : 'page-[hash]',
    // Names stay: errors and logs show them.
    minifyWhitespace: true,
    minifySyntax: true,
    // The file for browsers is for bundlers, not for readers.
    minifyIdentifiers: platform === 'browser',
    sourcemap: platform === 'node',
    // A map names file and line; the text is in the repository.
    sourcesContent: false,
    absWorkingDir: inRoot(),
    write: false,
    plugins: [
      {
        name: 'programs',
        setup: (plugin) => {
          plugin.onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const text = readFileSync(path, 'utf8')
            const contents = text.replace(PROGRAM_URL, (_, target) => {
              const name = programName(resolve(dirname(path), target), { ...entries, ...named }, files)
              return `new URL('./${name}', import.meta.url)`
            })
            return contents === text ? undefined : { contents, loader: 'ts' }
          })
        },
      },
    ],
  })
  for (const { path, contents } of outputFiles) files.set(basename(path), Buffer.from(contents))
  return files
}

/**
 * The name of a file in the bundle. A compiled one must be an entry; another is added as it is.
 * @param {string} file
 * @param {Readonly<Record<string, string>>} entries
 * @param {Map<string, Buffer>} files
 */
function programName(file, entries, files) {
  const sources = [file, file.replace(/\.js$/, '.ts'), file.replace(/\.js$/, '.tsx')]
  const entry = Object.keys(entries).find((name) => sources.includes(inRoot(entries[name] ?? '')))
  if (entry !== undefined) return entry + extname(file)
  if (!existsSync(file))
    throw new PackError(`${file} is started as a program: make it an entry in ${join('tools', 'pack', 'package-files.mjs')}`)
  files.set(basename(file), readFileSync(file))
  return basename(file)
}
