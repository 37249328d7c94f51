import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { coreErrors } from '@slotwire/core'
import { DOCS_FILES, DOCS_PATH, DOCS_POLICY, docsPage, docsScript, OPENAPI_PATH } from './docs-page.ts'
import { jsonText, sendAnswer, sendJson } from './pipeline/answer.ts'
import type { Handle, Routes } from './pipeline/routes.ts'

const READING = ['GET', 'HEAD']
const SECONDS_PER_HOUR = 3600

/** Routes of the API document, of the page that shows it, and of `/`, which redirects browsers to the page. Files are read on request. */
export function addDocsRoutes(routes: Routes, openApi: () => object): void {
  const get = (path: string, handle: Handle): void => {
    routes.add({ service: 'slotwire', endpoint: 'docs', path, methods: READING, handler: () => handle })
  }

  let document: string | undefined
  get(OPENAPI_PATH, (_request, response) => {
    document ??= jsonText(openApi())
    sendJson(response, document)
  })
  get(DOCS_PATH, page('text/html; charset=utf-8', docsPage))
  get(`${DOCS_PATH}/start.js`, page('text/javascript; charset=utf-8', docsScript))
  for (const [name, type] of Object.entries(DOCS_FILES)) {
    const file = () => readFile(join(filesFolder(), name))
    get(`${DOCS_PATH}/${name}`, page(type, file, `max-age=${SECONDS_PER_HOUR}`))
  }
  get('/', ({ headers }, response) => {
    if (headers.accept?.toLowerCase().includes('text/html') !== true) throw coreErrors.notFound()
    sendAnswer(response, { status: 302, headers: { location: DOCS_PATH, 'cache-control': 'no-store' }, body: '' })
  })
}

function page(type: string, body: string | (() => Promise<Buffer>), caching?: string): Handle {
  const headers = {
    'content-type': type,
    'content-security-policy': DOCS_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    ...(caching === undefined ? {} : { 'cache-control': caching }),
  }
  return async (_request, response) =>
    sendAnswer(response, { status: 200, headers, body: typeof body === 'string' ? body : await body() })
}

function filesFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
}
