import { formed, genericEndpoints, servicePath, wordOf, wordOfForm } from '@slotwire/contract'
import { meant, shown } from '@slotwire/core'
import { shownTree } from '@slotwire/storage'
import type { ModuleCatalog } from '../catalog.ts'
import { type FieldType, textType, word } from './field.ts'
import { type Json, jsonOf } from './json.ts'

const wording = 'a path, as in io/3/input/values or /api/io/1.0/3/input/values'
const PATH = wordOf(formed('^(?=.{1,500}$)(?=.*/)[\\w/][\\w./?=&%~:-]*$', wording))
/**
 * Paths that are answered from memory, so in twin time only. Files are read in real time: meanwhile twin time advances, differently in
 * every run.
 */
const FROM_MEMORY = /^\/(api|slotwire\/bench)\/|^\/slotwire\/(bench|livez|readyz|metrics|state|openapi\.json)$/
const FROM_MEMORY_WORDING = '/api/…, /slotwire/bench/…, /slotwire/livez, readyz, metrics, state or openapi.json'

/** A complete API path. `io/3/input/values` is short for `/api/io/1.0/3/input/values`. */
export const apiPath = textType(wording, (text, name, { catalog }) => {
  const path = wholePath(PATH.read(text, name))
  if (FROM_MEMORY.test(withoutDots(path))) return path
  if (Object.hasOwn(catalog, text.split('/')[1] ?? ''))
    throw new RangeError(`${name} is ${shown(text)}: write ${shown(text.slice(1))}`)
  throw new RangeError(
    `${name} is ${shown(text)}, which is not part of the API: files take a different time in every run, so write a path of ${FROM_MEMORY_WORDING}`,
  )
})

/** Why no module type serves a path of a module; undefined for one that some type serves, and for other paths. */
export function unserved(path: string, catalog: ModuleCatalog): string | undefined {
  const [, service = '', rest] = /^\/api\/([^/]+)\/[^/]+\/[^/]+(\/[^?]+)/.exec(path) ?? []
  if (rest === undefined) return undefined
  const contract = Object.hasOwn(catalog, service) ? catalog[service]?.contract : undefined
  if (contract === undefined) return `there is no service ${shown(service)}: ${meant(service, Object.keys(catalog))}`
  const known = Object.values({ ...genericEndpoints, ...contract.endpoints }).map((endpoint) => endpoint.path)
  if (known.some((each) => new RegExp(`^${each.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(rest))) return undefined
  return `${service} has no ${shown(rest.slice(1))}: ${meant(
    rest.slice(1),
    known.map((each) => each.slice(1)),
  )}`
}

function wholePath(text: string): string {
  if (text.startsWith('/')) return text
  const [service = '', ...rest] = text.split('/')
  return `${servicePath(service)}/${rest.join('/')}`
}

/** The path without `..` and query. */
function withoutDots(path: string): string {
  return new URL(`http://device${path}`).pathname
}

const MODULE_PATH = new RegExp(`^${servicePath('(\\w+)').replaceAll('.', '\\.')}/`)

/** The short form of a path. */
export function shortPath(path: string): string {
  return path.replace(MODULE_PATH, '$1/')
}

/** Slot in a module's path; undefined for other paths. */
export function slotOf(path: string): number | undefined {
  const [, slot] = /^\/api\/\w+\/[\d.]+\/(\d)\//.exec(withoutDots(path)) ?? []
  return slot === undefined ? undefined : Number(slot)
}

/** Outcome of a request: a status, any status, or no answer at all. */
export type Status = number | 'any' | 'none'

export const statusType = word(
  wordOfForm<Status>('a status, as in 200, or any, or none for no answer at all', (text) => {
    if (text === 'any' || text === 'none') return text
    return /^[1-5]\d\d$/.test(text) ? Number(text) : undefined
  }),
)

/** Any JSON value. */
export const jsonType: FieldType<{ readonly json: Json }> = {
  wording: 'a JSON value',
  read: (tree) => ({ json: jsonOf(tree) }),
}

/** A value of an HTTP header: one line of plain characters. */
const headerValue = word(wordOf(formed('^[ -~]{0,500}$', 'one line of plain characters')))

export const headersType: FieldType<Readonly<Record<string, string>>> = {
  wording: 'names and values, as in { cache-control: no-cache }',
  read: (tree, state, name) => {
    if (tree.kind !== 'map') return state.fail(tree, `${name} is ${shownTree(tree)}: ${headersType.wording}`)
    const headers: Record<string, string> = {}
    for (const { key, keySpan, value } of tree.entries) {
      const text = headerValue.read(value, state, shown(key))
      if (!/^[A-Za-z0-9-]{1,64}$/.test(key))
        state.fail(keySpan, `${name} has ${shown(key)}, which is no header: write letters, digits and - as its name`)
      else if (text !== undefined) headers[key.toLowerCase()] = text
    }
    return headers
  },
}
