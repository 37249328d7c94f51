import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Contract, healthEndpoints } from '@slotwire/contract'
import { formatVersion, SLOTWIRE_VERSION } from '@slotwire/core'
import { DOCS_FILES, DOCS_PATH, DOCS_POLICY, docsPage, docsScript, OPENAPI_PATH } from './docs-page.ts'
import { JSON_TYPE, jsonText, sendAnswer, sendJson } from './pipeline/answer.ts'
import { visibleServices } from './pipeline/hints.ts'
import type { Handle, Routes } from './pipeline/routes.ts'
import { staticContent } from './static-content.ts'

const READING = ['GET', 'HEAD']
const SECONDS_PER_HOUR = 3600
const BEGINNING = { docs: DOCS_PATH, openapi: OPENAPI_PATH, health: healthEndpoints.readyz.path }

/** Routes of the API document, of the page that shows it, and of `/`: it redirects browsers to the page, and shows programs where to begin. */
export function addDocsRoutes(routes: Routes, contracts: readonly Contract[], openApi: () => object): void {
  const get = (path: string, handle: Handle): void => {
    routes.add({ service: 'slotwire', endpoint: 'docs', path, methods: READING, handler: () => handle })
  }

  addDocument(routes, OPENAPI_PATH, openApi)
  get(DOCS_PATH, page('text/html; charset=utf-8', docsPage))
  get(`${DOCS_PATH}/start.js`, page('text/javascript; charset=utf-8', docsScript))
  for (const [name, type] of Object.entries(DOCS_FILES)) {
    const file = () => readFile(join(filesFolder(), name))
    get(`${DOCS_PATH}/${name}`, page(type, file, `max-age=${SECONDS_PER_HOUR}`))
  }
  get('/', ({ headers }, response, { caller }) => {
    if (headers.accept?.toLowerCase().includes('text/html') !== true) {
      const services = Object.fromEntries(visibleServices(contracts, caller))
      sendJson(response, jsonText({ name: 'slotwire', version: formatVersion(SLOTWIRE_VERSION), services, ...BEGINNING }))
      return
    }
    sendAnswer(response, { status: 302, headers: { location: DOCS_PATH, 'cache-control': 'no-store' }, body: '' })
  })
}

/** Route of an API document, made at the first request. */
export function addDocument(routes: Routes, path: string, openApi: () => object): void {
  const handle = staticContent({ 'content-type': JSON_TYPE }, () => Buffer.from(jsonText(openApi())))
  routes.add({ service: 'slotwire', endpoint: 'docs', path, methods: READING, handler: () => handle })
}

function page(type: string, body: string | (() => Promise<Buffer>), caching = 'no-cache'): Handle {
  const headers = {
    'content-type': type,
    'content-security-policy': DOCS_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': caching,
  }
  return staticContent(headers, () => (typeof body === 'string' ? Buffer.from(body) : body()))
}

function filesFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
}
