import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { coreErrors } from '@slotwire/core'
import type { FastifyReply } from 'fastify'
import { DOCS_FILES, DOCS_PATH, DOCS_POLICY, docsPage, docsScript, OPENAPI_PATH } from './docs-page.ts'
import type { FixedPath } from './pipeline/fallback.ts'
import type { Handle, Routes } from './pipeline/routes.ts'
import { sendJson } from './pipeline/send.ts'

const READING = ['GET', 'HEAD']
const SECONDS_PER_HOUR = 3600

/** The API document, the page that shows it, and `/`, which leads a browser there. Files are read when they are asked for. */
export function addDocsRoutes(routes: Routes, openApi: () => object): FixedPath[] {
  const paths: FixedPath[] = []
  const get = (url: string, handle: Handle): void => {
    routes.add({ service: 'slotwire', endpoint: 'docs', methods: READING, url, handler: () => handle })
    paths.push({ path: url, methods: READING })
  }

  let document: string | undefined
  get(OPENAPI_PATH, (_request, reply) => {
    document ??= JSON.stringify(openApi())
    sendJson(reply, document)
  })
  get(DOCS_PATH, (_request, reply) => page(reply, 'text/html; charset=utf-8').send(docsPage))
  get(`${DOCS_PATH}/start.js`, (_request, reply) => page(reply, 'text/javascript; charset=utf-8').send(docsScript))
  for (const [name, type] of Object.entries(DOCS_FILES)) {
    get(`${DOCS_PATH}/${name}`, async (_request, reply) => {
      const path = join(filesFolder(), name)
      const { size } = await stat(path)
      page(reply, type).header('cache-control', `max-age=${SECONDS_PER_HOUR}`).header('content-length', size)
      return reply.send(createReadStream(path))
    })
  }
  get('/', (request, reply) => {
    if (!acceptsPages(request.headers.accept)) throw coreErrors.notFound()
    reply.header('cache-control', 'no-store').redirect(DOCS_PATH)
  })
  return paths
}

function page(reply: FastifyReply, type: string): FastifyReply {
  return reply
    .header('content-type', type)
    .header('content-security-policy', DOCS_POLICY)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
}

function filesFolder(): string {
  return join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json')), 'static')
}

function acceptsPages(accept: string | undefined): boolean {
  return accept?.toLowerCase().includes('text/html') === true
}
