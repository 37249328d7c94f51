import { readFile } from 'node:fs/promises'
import { type Contract, healthEndpoints } from '@slotwire/contract'
import { formatVersion, SLOTWIRE_VERSION } from '@slotwire/core'
import { pageHeaders, wantsHtml } from './app-page.ts'
import { DOCS_FILES, DOCS_PATH, DOCS_POLICY, docsPage, OPENAPI_PATH } from './docs-page.ts'
import { JSON_TYPE, jsonText, sendAnswer, sendJson } from './pipeline/answer.ts'
import { visibleServices } from './pipeline/hints.ts'
import type { Handle } from './pipeline/request.ts'
import type { Routes } from './pipeline/routes.ts'
import { staticContent } from './static-content.ts'

const READING = ['GET', 'HEAD']
const LINKS = '<nav>'
const END_OF_LINKS = '</nav>'
const BEGINNING = { docs: DOCS_PATH, openapi: OPENAPI_PATH, health: healthEndpoints.readyz.path }

/**
 * Routes of the API document, of the page that shows it and those of the extensions, and of `/`: it shows browsers the page of the app
 * (`appPage`; without one, it redirects them to the API reference), and programs where to begin.
 */
export function addDocsRoutes(
  routes: Routes,
  contracts: readonly Contract[],
  extensions: readonly string[],
  openApi: () => object,
  appPage?: Handle,
): void {
  const get = (path: string, handle: Handle): void => {
    routes.add({ service: 'slotwire', endpoint: 'docs', path, methods: READING, handler: () => handle })
  }

  addDocument(routes, OPENAPI_PATH, openApi)
  const back = appPage === undefined ? '' : '<a href="/">← Console</a> '
  const links = extensions.map((name) => ` <a href="?${name}">${name}</a>`).join('')
  const html = async () =>
    Buffer.from((await readFile(docsPage.file, 'utf8')).replace(LINKS, LINKS + back).replace(END_OF_LINKS, links + END_OF_LINKS))
  get(DOCS_PATH, page(docsPage.type, html))
  for (const { path, type, file } of DOCS_FILES)
    get(
      path,
      page(type, () => readFile(file)),
    )
  get('/', (request, response, asked) => {
    if (!wantsHtml(request.headers)) {
      const services = Object.fromEntries(visibleServices(contracts, asked.caller))
      sendJson(response, jsonText({ name: 'slotwire', version: formatVersion(SLOTWIRE_VERSION), services, ...BEGINNING }))
      return undefined
    }
    if (appPage !== undefined) return appPage(request, response, asked)
    sendAnswer(response, { status: 302, headers: { location: DOCS_PATH, 'cache-control': 'no-store' }, body: '' })
    return undefined
  })
}

/** Route of an API document, made at the first request. */
export function addDocument(routes: Routes, path: string, openApi: () => object): void {
  const handle = staticContent({ 'content-type': JSON_TYPE }, () => Buffer.from(jsonText(openApi())))
  routes.add({ service: 'slotwire', endpoint: 'docs', path, methods: READING, handler: () => handle })
}

function page(type: string, load: () => Promise<Buffer>): Handle {
  return staticContent(pageHeaders(type, DOCS_POLICY), load)
}
