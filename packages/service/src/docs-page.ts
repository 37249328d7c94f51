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

/** Of every page of this server. */
export const ICON = { type: 'image/svg+xml', file: new URL('./docs/icon.svg', import.meta.url) }

/** What the page loads. */
export const DOCS_FILES: readonly DocsFile[] = [
  { path: `${DOCS_PATH}/page.css`, type: 'text/css; charset=utf-8', file: new URL('./docs/page.css', import.meta.url) },
  { path: `${DOCS_PATH}/page.js`, type: 'text/javascript; charset=utf-8', file: new URL('./docs/page.js', import.meta.url) },
  { path: `${DOCS_PATH}/icon.svg`, ...ICON },
]
