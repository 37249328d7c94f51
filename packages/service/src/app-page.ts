import type { IncomingMessage } from 'node:http'
import { coreErrors } from '@slotwire/core'
import { pathSegments } from './pipeline/api-path.ts'
import type { Handle, Routes } from './pipeline/routes.ts'
import { staticContent } from './static-content.ts'

/** The files of the app's page are below this path. */
export const APP_PATH = '/slotwire/console'

/** A file of the page. */
export interface AppFile {
  /** Content type. */
  readonly type: string
  readonly load: () => Promise<Buffer>
}

/** A page of an app for browsers. */
export interface AppPage {
  readonly html: Buffer
  /** Content-Security-Policy of the page. */
  readonly policy: string
  /** Each file by its path below `APP_PATH`. No other file is served. */
  readonly files: ReadonlyMap<string, AppFile>
}

const HTML_TYPE = 'text/html; charset=utf-8'
/** Of files: none of them is a page. */
const FILE_POLICY = "default-src 'none'; frame-ancestors 'none'"
const APP_SEGMENTS = APP_PATH.split('/').length - 1

/** Whether a request asks for a page. */
export function wantsHtml({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers.accept?.toLowerCase().includes('text/html') === true
}

/** Headers of everything that a browser gets. */
export function pageHeaders(type: string, policy: string): Readonly<Record<string, string>> {
  return {
    'content-type': type,
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  }
}

/** Adds the route of the page's files, and returns the handler of the page itself. The page is loaded at the first request. */
export function addAppPage(routes: Routes, load: () => Promise<AppPage>): Handle {
  let loading: Promise<AppPage> | undefined
  let page: Handle | undefined
  const handles = new Map<string, Handle>()

  function loaded(): Promise<AppPage> {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }

  routes.addBelow({
    service: 'slotwire',
    endpoint: 'docs',
    path: APP_PATH,
    methods: ['GET', 'HEAD'],
    handler: () => async (request, response, asked) => {
      const path = pathIn(request.url ?? '')
      const file = path === undefined ? undefined : (await loaded()).files.get(path)
      if (path === undefined || file === undefined) throw coreErrors.notFound({ hint: 'the page has no such file' })
      const handle = handles.get(path) ?? staticContent(pageHeaders(file.type, FILE_POLICY), file.load)
      handles.set(path, handle)
      await handle(request, response, asked)
    },
  })
  return async (request, response, asked) => {
    const { html, policy } = await loaded()
    page ??= staticContent(pageHeaders(HTML_TYPE, policy), () => html)
    response.appendHeader('vary', 'Accept')
    await page(request, response, asked)
  }
}

/** The path of a file below `APP_PATH`; undefined for a path with an encoded slash. */
function pathIn(url: string): string | undefined {
  const segments = pathSegments(url)?.slice(APP_SEGMENTS) ?? []
  return segments.some((segment) => segment.includes('/')) ? undefined : segments.join('/')
}
