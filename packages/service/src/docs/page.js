// The API reference in a browser: shows the document that this server makes of its contracts, and sends requests.

/**
 * @typedef {{
 *   $ref?: string, type?: string, description?: string, enum?: unknown[], const?: unknown, minimum?: number, maximum?: number,
 *   properties?: Record<string, Schema>, required?: string[], items?: Schema, 'x-unit'?: string, 'x-range'?: string,
 * }} Schema
 * @typedef {{ name: string, in: string, required: boolean, description: string, schema: Schema, example?: string | number }} Parameter
 * @typedef {Record<string, { schema: Schema, example?: unknown }>} Content
 * @typedef {{ $ref?: string, description?: string, content?: Content }} Reply
 * @typedef {{
 *   operationId: string, tags: string[], summary: string, description?: string, parameters?: Parameter[],
 *   requestBody?: { content: Content }, responses: Record<string, Reply>, 'x-danger'?: string,
 * }} Operation
 * @typedef {{
 *   info: { title: string, version: string, description: string }, tags: { name: string, description: string }[],
 *   paths: Record<string, Record<string, Operation>>,
 *   components: { schemas: Record<string, Schema>, responses: Record<string, Reply> },
 * }} ApiDocument
 */

const JSON_TYPE = 'application/json'
/** A module answers within seconds; a device that starts can take longer. */
const DEADLINE_MS = 60_000

const main = element('main')
const search = /** @type {HTMLInputElement} */ (element('[type=search]'))
const others = [...document.querySelectorAll('nav a')].map((link) => link.getAttribute('href'))
const [, other = ''] = others.includes(location.search) ? location.search.split('?') : []

try {
  const answer = await fetch(addressOf(`/slotwire/${other === '' ? '' : `${other}/`}openapi.json`), {
    signal: AbortSignal.timeout(DEADLINE_MS),
  })
  if (answer.status === 404) throw new Error('only programs on the device itself may use this')
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`)
  show(/** @type {ApiDocument} */ (await answer.json()))
} catch (error) {
  main.replaceChildren(make('p', { className: 'danger' }, `The API document could not be loaded: ${String(error)}`))
}

/** @param {ApiDocument} api */
function show(api) {
  const { info, tags, paths, components } = api
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const about = make('details', {}, make('summary', {}, `Version ${info.version}: how to use it`), text(info.description))
  const sections = tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name))
    const shown = own.map(({ path, method, operation }) => entry(method, path, operation, components))
    return make('section', {}, make('h2', {}, name), text(description), ...shown)
  })
  main.replaceChildren(about, make('p', { id: 'nothing' }, 'No operation has all these words.'), ...sections)
  search.addEventListener('input', () => narrow(sections))
  narrow(sections)
  const linked = document.getElementById(location.hash.slice(1))
  if (linked instanceof HTMLDetailsElement) linked.open = true
  linked?.scrollIntoView()
}

/** Shows the operations that have every word of the search. @param {HTMLElement[]} sections */
function narrow(sections) {
  const words = search.value.toLowerCase().split(/\s+/)
  for (const section of sections) {
    const found = [...section.querySelectorAll('.operation')].filter((one) => {
      const summary = one.firstElementChild?.textContent.toLowerCase() ?? ''
      one.toggleAttribute('hidden', !words.every((word) => summary.includes(word)))
      return !one.hasAttribute('hidden')
    })
    section.hidden = found.length === 0
  }
  element('#nothing').hidden = sections.some((section) => !section.hidden)
}

/**
 * One operation; its content is made when it is opened.
 * @param {string} method
 * @param {string} path
 * @param {Operation} operation
 * @param {ApiDocument['components']} components
 */
function entry(method, path, operation, components) {
  const danger = operation['x-danger']
  const summary = make('summary', {}, make('span', { className: `method ${method}` }, method), ' ')
  summary.append(make('span', { className: 'path' }, path), ` ${operation.summary}`)
  if (danger !== undefined) summary.append(' ', make('span', { className: 'danger' }, '⚠ dangerous'))
  const details = make('details', { id: operation.operationId, className: 'operation' }, summary)
  const fill = () => {
    details.append(
      text(operation.description ?? ''),
      make('p', { className: 'danger' }, danger ?? ''),
      requestForm(method, path, operation),
      ...described(operation, components),
    )
  }
  details.addEventListener('toggle', fill, { once: true })
  return details
}

/**
 * The fields of body and reply, and the errors.
 * @param {Operation} operation
 * @param {ApiDocument['components']} components
 */
function described({ requestBody, responses }, { schemas, responses: shared }) {
  /** @param {string} title @param {Content | undefined} content */
  const part = (title, content = {}) =>
    Object.values(content).flatMap(({ schema }) => [make('h4', {}, title), make('ul', {}, ...fields(schema, schemas))])
  const errors = Object.entries(responses).flatMap(([status, { $ref = '' }]) => {
    const description = shared[lastPart($ref)]?.description
    return description === undefined ? [] : [make('li', {}, make('b', {}, status), text(description))]
  })
  const parts = [...part('Body', requestBody?.content), ...part('Reply', responses['200']?.content)]
  return [...parts, make('details', {}, make('summary', {}, 'Errors'), make('ul', {}, ...errors))]
}

/**
 * @param {Schema} given
 * @param {Record<string, Schema>} schemas
 * @returns {HTMLElement[]}
 */
function fields(given, schemas) {
  const schema = given.$ref === undefined ? given : { ...schemas[lastPart(given.$ref)], ...given }
  if (schema.items !== undefined) return fields(schema.items, schemas)
  return Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const resolved = property.$ref === undefined ? property : { ...schemas[lastPart(property.$ref)], ...property }
    const optional = schema.required?.includes(name) === false ? ' (optional)' : ''
    const inner = fields(resolved, schemas)
    const line = make('li', {}, make('code', {}, name), `${optional}: ${kind(resolved)}`)
    if (inner.length > 0) line.append(make('ul', {}, ...inner))
    return line
  })
}

/** What a value may be. @param {Schema} schema */
function kind({ type, enum: values, const: only, minimum, maximum, description, 'x-range': range, 'x-unit': unit }) {
  const given = only === undefined ? values : [only]
  const bounds = minimum === undefined ? '' : ` ${minimum}…${maximum ?? ''}`
  const base = given === undefined ? `${type ?? 'object'}${range === undefined ? bounds : ` ${range}`}` : given.join(' | ')
  return [unit === undefined ? base : `${base} ${unit}`, ...(description === undefined ? [] : [description])].join(', ')
}

/** Rather an answer that ends than a stream. */
const ACCEPT = `${JSON_TYPE}, */*;q=0.1`

/**
 * Parameters and body with their examples, a button, and the answer.
 * @param {string} method
 * @param {string} path
 * @param {Operation} operation
 */
function requestForm(method, path, { parameters = [], requestBody, 'x-danger': danger }) {
  const inputs = parameters.map(({ name, in: place, required, example, description }) => {
    const value = required ? String(example ?? '') : ''
    return { name, place, input: make('input', { name, value, size: 10, title: description }) }
  })
  const content = requestBody?.content[JSON_TYPE]
  const example = content === undefined ? '' : JSON.stringify(content.example ?? {}, null, 2)
  const body = make('textarea', { value: example, rows: Math.min(example.split('\n').length, 12), ariaLabel: 'Body' })
  const output = make('output', {})
  const button = make('button', { className: danger === undefined ? '' : 'danger' }, 'Send')
  const labels = inputs.map(({ name, input }) => make('label', {}, `${name} `, input))
  const form = make('form', {}, ...labels, ...(content === undefined ? [] : [body]), button, output)
  const send = async () => {
    const query = inputs.filter(({ place, input }) => place === 'query' && input.value !== '')
    const queryText = new URLSearchParams(query.map(({ name, input }) => [name, input.value])).toString()
    const filled = inputs.reduce((made, { name, input }) => made.replace(`{${name}}`, encodeURIComponent(input.value)), path)
    const target = queryText === '' ? filled : `${filled}?${queryText}`
    const headers = inputs.flatMap(({ name, place, input }) =>
      place === 'header' && input.value !== '' ? [[name, input.value]] : [],
    )
    const sent = content === undefined ? {} : { body: body.value }
    const type = content === undefined ? {} : { 'Content-Type': JSON_TYPE }
    button.disabled = true
    output.replaceChildren(make('p', {}, `${method} ${target} …`))
    try {
      output.replaceChildren(
        ...(await answerTo(target, { method, headers: { Accept: ACCEPT, ...Object.fromEntries(headers), ...type }, ...sent })),
      )
    } catch (error) {
      output.replaceChildren(make('p', { className: 'danger' }, `No answer: ${String(error)}`))
    } finally {
      button.disabled = false
    }
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (danger === undefined || confirm(`${method} ${path}\n\n${danger}`)) void send()
  })
  return form
}

/**
 * @param {string} target
 * @param {RequestInit} request
 */
async function answerTo(target, request) {
  const started = performance.now()
  const answer = await fetch(addressOf(target), { ...request, cache: 'no-store', signal: AbortSignal.timeout(DEADLINE_MS) })
  const body = await answer.text()
  const took = Math.round(performance.now() - started)
  const notes = ['Slotwire-Error', 'Slotwire-Hint', 'Age'].flatMap((name) => {
    const value = answer.headers.get(name)
    return value === null ? [] : [`${name}: ${value}`]
  })
  const isJson = answer.headers.get('Content-Type')?.startsWith(JSON_TYPE) === true
  const status = make('b', { className: answer.ok ? 'status' : 'status danger' }, String(answer.status))
  const shown = isJson ? JSON.stringify(JSON.parse(body), null, 2) : body
  return [make('p', {}, status, ` ${took} ms  ${target}`), make('pre', {}, [...notes, shown].join('\n'))]
}

/** Without the credentials that the address of this page may have: browsers refuse those. @param {string} path */
function addressOf(path) {
  return new URL(path, location.origin)
}

/** @param {string} selector */
function element(selector) {
  const found = document.querySelector(selector)
  if (found instanceof HTMLElement) return found
  throw new Error(`the page has no ${selector}`)
}

/** @param {string} content */
function text(content) {
  return make('p', { className: 'text' }, content)
}

/** @param {string} reference */
function lastPart(reference) {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Partial<HTMLElementTagNameMap[Name]>} properties
 * @param {(Node | string)[]} children
 */
function make(name, properties, ...children) {
  const made = document.createElement(name)
  Object.assign(made, properties)
  made.append(...children)
  return made
}
