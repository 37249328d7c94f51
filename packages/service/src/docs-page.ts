/** The page that lets people read and try the API. Everything it loads comes from this server. */
export const DOCS_PATH = '/slotwire/docs'
export const OPENAPI_PATH = '/slotwire/openapi.json'

/** Nothing may be loaded from, or sent to, anywhere else. Swagger UI sets inline styles and draws its icons from data: URLs. */
export const DOCS_POLICY =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"

/** The page itself. */
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

/** Starts Swagger UI; no validator, which would be a request to somewhere else. */
export const docsScript = `SwaggerUIBundle({
  url: '${OPENAPI_PATH}',
  dom_id: '#page',
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
})
`

/** Swagger UI's files that the page loads, with their types. */
export const DOCS_FILES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
}
