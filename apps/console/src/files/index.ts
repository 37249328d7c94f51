import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { APP_PATH, type AppFile, type AppPage } from '@slotwire/service'
import { type Walked, walk } from './walk.ts'

/** In a clone the compiled module; in the package its bundle, beside this file. */
const ENTRY = new URL('../main.js', import.meta.url)
const TEMPLATE = new URL('../../src/index.html', import.meta.url)
const STYLES = new URL('../../src/styles/main.css', import.meta.url)
const END_OF_HEAD = '</head>'
const SCRIPT_TYPE = 'text/javascript; charset=utf-8'
const TYPES: Readonly<Record<string, string>> = { '.css': 'text/css; charset=utf-8', '.js': SCRIPT_TYPE, '.mjs': SCRIPT_TYPE }

/** The console, with the files that its imports name. */
export async function consolePage(): Promise<AppPage> {
  const entry = fileURLToPath(ENTRY)
  if (!existsSync(entry)) throw new Error(`${entry} is missing: build the console`)
  const [code, styles, template] = await Promise.all([walk(entry), walk(fileURLToPath(STYLES)), readFile(TEMPLATE, 'utf8')])
  const importMap = importMapOf(code)
  const head = [...styleLinks(styles), ...scriptsOf(code, importMap)].map((tag) => `  ${tag}\n  `).join('')
  return {
    html: Buffer.from(template.replace(END_OF_HEAD, head + END_OF_HEAD)),
    policy: policyOf(importMap),
    files: new Map([...code.files, ...styles.files].map(([path, file]) => [path, fileOf(file)])),
  }
}

/** Where a browser finds bare names; undefined: the code has none. */
function importMapOf({ names }: Walked): string | undefined {
  if (names.size === 0) return undefined
  return JSON.stringify({ imports: Object.fromEntries([...names].map(([name, path]) => [name, `${APP_PATH}/${path}`])) })
}

function styleLinks({ first }: Walked): readonly string[] {
  const main = first.at(-1) as string
  const preloads = first.slice(0, -1).map((path) => `<link rel="preload" as="style" href="${APP_PATH}/${path}">`)
  return [...preloads, `<link rel="stylesheet" href="${APP_PATH}/${main}">`]
}

function scriptsOf({ first }: Walked, importMap: string | undefined): readonly string[] {
  const main = first.at(-1) as string
  return [
    ...(importMap === undefined ? [] : [`<script type="importmap">${importMap}</script>`]),
    ...first.map((path) => `<link rel="modulepreload" href="${APP_PATH}/${path}">`),
    `<script type="module" src="${APP_PATH}/${main}"></script>`,
  ]
}

/** Only files of this server; the import map is the only text within the page that may run. */
function policyOf(importMap: string | undefined): string {
  const own = importMap === undefined ? '' : ` 'sha256-${hash('sha256', importMap, 'base64')}'`
  return [
    "default-src 'none'",
    `script-src 'self'${own}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function fileOf(file: string): AppFile {
  return { type: TYPES[extname(file)] ?? SCRIPT_TYPE, load: () => readFile(file) }
}
