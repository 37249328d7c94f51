import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { inRoot } from '../setup/root.mjs'
import { bundle } from './bundle.mjs'

/** @typedef {{ name: string, version: string, exports: Record<string, { types: string, browser?: string, default: string }> }} CliManifest */

/** The workspace of the command, and that of the console. */
const CLI = 'apps/cli'
const CONSOLE = 'apps/console'
/** The command, which nothing imports. */
export const MAIN = { main: `${CLI}/src/main.ts` }
/** What browsers load: files of their own, which need nothing else. */
const BROWSER = { 'client-browser': `${CLI}/src/client-browser.ts` }
const PAGE = { main: `${CONSOLE}/src/main.tsx`, styles: `${CONSOLE}/src/styles/main.css` }
const BENCHMARKS = 'benchmarks/src'
/** Where the service has the files of the console (APP_PATH of @slotwire/service). */
const PAGE_PATH = '/slotwire/console'
const END_OF_HEAD = '</head>'

/** The folder of the built command. */
export const BUILT = inRoot(CLI, 'dist')

/** The sources of the public exports, by the names of their files. */
export function exportedSources() {
  const { exports } = /** @type {CliManifest} */ (JSON.parse(readFileSync(inRoot(CLI, 'package.json'), 'utf8')))
  return Object.fromEntries(Object.entries(exports).map(([path, { types }]) => [path.slice(2), join(CLI, types)]))
}

/** Bundles the command, its exports and the console into `BUILT`: a clone, the packages and the tests start these files. */
export async function buildProgram() {
  const [program, browser, page] = await Promise.all([
    bundle({ ...MAIN, ...exportedSources() }, BUILT),
    bundle(BROWSER, BUILT, 'browser'),
    bundlePage(),
  ])
  for (const [name, content] of page) program.files.set(`console/${name}`, content)
  writeBundle(BUILT, [...program.files, ...browser.files])
}

/** Bundles the benchmarks into their own `dist`: the program that measures, and the programs that it starts. */
export async function bundleBenchmarks() {
  const started = readdirSync(inRoot(BENCHMARKS, 'programs')).map((file) => [
    file.replace(/\.ts$/, ''),
    join(BENCHMARKS, 'programs', file),
  ])
  const folder = inRoot('benchmarks', 'dist')
  const { files } = await bundle({ main: join(BENCHMARKS, 'main.ts'), ...Object.fromEntries(started) }, folder)
  writeBundle(folder, files)
}

/**
 * The console: its entry and styles, chunks for later, and a page that loads the first ones at once.
 * @returns {Promise<Map<string, Uint8Array>>} files by their names
 */
async function bundlePage() {
  const folder = join(BUILT, 'console')
  const { files, outputs } = await bundle(PAGE, folder, 'browser')
  const first = new Set([relative(inRoot(), join(folder, 'main.js'))])
  for (const each of first)
    for (const { path, kind } of outputs[each]?.imports ?? []) if (kind === 'import-statement') first.add(path)
  const tags = [
    `<link rel="stylesheet" href="${PAGE_PATH}/styles.css">`,
    ...[...first].slice(1).map((path) => `<link rel="modulepreload" href="${PAGE_PATH}/${basename(path)}">`),
    `<script type="module" src="${PAGE_PATH}/main.js"></script>`,
  ]
  const template = readFileSync(inRoot(CONSOLE, 'src', 'index.html'), 'utf8')
  const html = template.replace(END_OF_HEAD, tags.map((tag) => `  ${tag}\n  `).join('') + END_OF_HEAD)
  return files.set('index.html', Buffer.from(html))
}

/**
 * Writes the changed files of a bundle and removes those that it no longer has. A program that reads meanwhile sees no half-written file.
 * @param {string} folder
 * @param {Iterable<readonly [name: string, content: Uint8Array]>} bundled
 */
export function writeBundle(folder, bundled) {
  const files = new Map(bundled)
  mkdirSync(folder, { recursive: true })
  const present = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  for (const { parentPath, name } of present) {
    const path = join(parentPath, name)
    const file = relative(folder, path)
    const content = files.get(file)
    if (content === undefined) rmSync(path, { force: true })
    else if (readFileSync(path).equals(content)) files.delete(file)
  }
  // Drafts stand outside: another process that writes the same bundle would remove them.
  const draft = `${folder}.${process.pid}`
  for (const [name, content] of files) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(draft, content)
    renameSync(draft, path)
  }
}
