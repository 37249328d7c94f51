import { readdir, readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { extname } from 'node:path'
import { coreErrors } from '@slotwire/core'
import { JSON_TYPE } from './pipeline/answer.ts'
import { pathSegments } from './pipeline/api-path.ts'
import type { Handle } from './pipeline/request.ts'
import type { Routes } from './pipeline/routes.ts'
import { preferredType, staticContent } from './static-content.ts'

/** A file of a page. */
export interface AppFile {
  /** Content type. */
  readonly type: string
  readonly load: () => Promise<Buffer>
}

/** The page of an app, for browsers. */
export interface AppPage {
  readonly html: Buffer
  /** Each file by its path below `APP_PATH`. No other file is served, except `icon.svg`. */
  readonly files: ReadonlyMap<string, AppFile>
}

/** Of every page of this server. */
const ICON = { type: 'image/svg+xml', file: new URL('./docs/icon.svg', import.meta.url) }

/** The files of the page are below this path; the page itself is at `/`. */
export const APP_PATH = '/slotwire/console'
const APP_SEGMENTS = APP_PATH.slice(1).split('/')
const HTML_TYPE = 'text/html; charset=utf-8'
const INDEX = 'index.html'
const TYPES: Readonly<Record<string, string>> = { '.css': 'text/css; charset=utf-8', '.js': 'text/javascript; charset=utf-8' }
/** The page may load only from this server and send only to it. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
/** Of a file that is opened as if it were a page. */
const FILE_POLICY = "default-src 'none'; frame-ancestors 'none'"
const READING = ['GET', 'HEAD']
const OWN_FILES: AppPage['files'] = new Map([['icon.svg', { type: ICON.type, load: () => readFile(ICON.file) }]])

/** Reads the page of a built app: `index.html`, and the scripts and styles beside it. */
export async function readAppPage(folder: URL): Promise<AppPage> {
  const names = (await readdir(folder)).filter((name) => extname(name) in TYPES)
  const files = names.map((name): [string, AppFile] => [
    name,
    { type: TYPES[extname(name)] as string, load: () => readFile(new URL(name, folder)) },
  ])
  return { html: await readFile(new URL(INDEX, folder)), files: new Map(files) }
}

/** Whether a path is below `APP_PATH`. `segments` as from `pathSegments`. */
export function isAppPath(segments: readonly string[]): boolean {
  return segments.length > APP_SEGMENTS.length && APP_SEGMENTS.every((segment, index) => segments[index] === segment)
}

/** Whether a request asks for a page. */
export function wantsHtml({ accept }: Pick<IncomingMessage['headers'], 'accept'>): boolean {
  return preferredType(accept, [JSON_TYPE, 'text/html']) === 'text/html'
}

/** Headers of a page and its files. */
export function pageHeaders(type: string, policy: string): Readonly<Record<string, string>> {
  return {
    'content-type': type,
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
  }
}

/** Adds the route of the page's files, and returns the handler of the page itself. Loads the page at the first request. */
export function addAppPage(routes: Routes, load: () => Promise<AppPage>): Handle {
  let loading: Promise<AppPage> | undefined
  const handles = new Map<string, Handle>()

  function loaded(): Promise<AppPage> {
    loading ??= load().catch((error: unknown) => {
      // The next request tries again.
      loading = undefined
      throw error
    })
    return loading
  }

  function handleOf(name: string, type: string, policy: string, read: () => Buffer | Promise<Buffer>): Handle {
    const handle = handles.get(name) ?? staticContent(pageHeaders(type, policy), read)
    handles.set(name, handle)
    return handle
  }

  const serveFile: Handle = async (request, response, match) => {
    const path = fileIn(request.url ?? '')
    const file = OWN_FILES.get(path) ?? (await loaded()).files.get(path)
    if (file === undefined) throw coreErrors.notFound({ hint: 'the page has no such file' })
    await handleOf(path, file.type, FILE_POLICY, file.load)(request, response, match)
  }
  routes.addBelow({ service: 'slotwire', endpoint: 'docs', path: APP_PATH, methods: READING, handler: () => serveFile })
  return async (request, response, match) => {
    const { html } = await loaded()
    response.appendHeader('vary', 'Accept')
    await handleOf('', HTML_TYPE, PAGE_POLICY, () => html)(request, response, match)
  }
}

/** The path of a file below `APP_PATH`, which no file has if it contains an encoded slash. */
function fileIn(url: string): string {
  const segments = pathSegments(url)?.slice(APP_SEGMENTS.length) ?? []
  return segments.some((segment) => segment.includes('/')) ? '' : segments.join('/')
}

/** Interactive API reference. All its files come from this server. */
export const DOCS_PATH = '/slotwire/docs'
export const OPENAPI_PATH = '/slotwire/openapi.json'

/** The page may only load from this server and send to it. */
export const DOCS_POLICY = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"

/** A file of the page. */
interface DocsFile {
  readonly path: string
  readonly type: string
  readonly file: URL
}

/** The page itself; it has a link to the document of each extension. */
export const docsPage: DocsFile = {
  path: DOCS_PATH,
  type: 'text/html; charset=utf-8',
  file: new URL('./docs/page.html', import.meta.url),
}

/** What the page loads. */
export const DOCS_FILES: readonly DocsFile[] = [
  { path: `${DOCS_PATH}/page.css`, type: 'text/css; charset=utf-8', file: new URL('./docs/page.css', import.meta.url) },
  { path: `${DOCS_PATH}/page.js`, type: 'text/javascript; charset=utf-8', file: new URL('./docs/page.js', import.meta.url) },
  { path: `${DOCS_PATH}/icon.svg`, ...ICON },
]
