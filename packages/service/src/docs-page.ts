/** Interactive API reference. All its files come from this server. */
export const DOCS_PATH = '/slotwire/docs'
export const OPENAPI_PATH = '/slotwire/openapi.json'

/** The page may only load from this server and send to it. Swagger UI sets inline styles and draws its icons from data: URLs. */
export const DOCS_POLICY =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"

/** HTML of the page. */
export const docsPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Slotwire API</title>
    <link rel="stylesheet" href="${DOCS_PATH}/swagger-ui.css">
    <link rel="icon" type="image/png" sizes="32x32" href="${DOCS_PATH}/favicon-32x32.png">
  </head>
  <body>
    <div id="page"></div>
    <script src="${DOCS_PATH}/swagger-ui-bundle.js"></script>
    <script src="${DOCS_PATH}/start.js"></script>
  </body>
</html>
`

/** Starts Swagger UI; without its validator, which would send a request to another site. */
export const docsScript = `SwaggerUIBundle({
  url: location.search === '?bench' ? '/slotwire/bench/openapi.json' : '${OPENAPI_PATH}',
  dom_id: '#page',
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
})
`

/** Swagger UI's files for the page, with their content types. */
export const DOCS_FILES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
}
