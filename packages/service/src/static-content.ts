import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { sendAnswer } from './pipeline/answer.ts'
import type { Handle } from './pipeline/request.ts'

const NOT_MODIFIED = 304
/** Smaller bodies fit into one packet anyway. */
const MIN_COMPRESSED_BYTES = 1024
/** Half the time of the default quality for a few percent more bytes. */
const BROTLI_QUALITY = 9

type Coding = 'br' | 'gzip' | 'identity'

const coders: Readonly<Record<Exclude<Coding, 'identity'>, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (body) => promisify(gzip)(body),
}

/**
 * Serves content that stays the same while the process runs: compressed if the client accepts that, and only if the client does not have
 * it already. Loaded and compressed at the first request.
 */
export function staticContent(headers: Readonly<Record<string, string>>, load: () => Buffer | Promise<Buffer>): Handle {
  const isText = !headers['content-type']?.startsWith('image/')
  const bodies = new Map<Coding, Promise<Buffer>>()
  let etag: string | undefined
  const bodyIn = async (coding: Coding): Promise<Buffer> => {
    const known = bodies.get(coding)
    if (known !== undefined) return known
    const made = coding === 'identity' ? Promise.resolve(load()) : bodyIn('identity').then(coders[coding])
    bodies.set(coding, made)
    // A file that could not be read is read again at the next request.
    made.catch(() => bodies.delete(coding))
    return made
  }
  return async ({ headers: accepted }, response) => {
    const plain = await bodyIn('identity')
    etag ??= `W/"${hash('sha256', plain, 'base64url')}"`
    const coding = isText && plain.length >= MIN_COMPRESSED_BYTES ? codingFor(accepted['accept-encoding']) : 'identity'
    const validators = { 'cache-control': 'no-cache', ...headers, etag }
    response.appendHeader('vary', 'Accept-Encoding')
    if (has(accepted['if-none-match'], etag)) {
      sendAnswer(response, { status: NOT_MODIFIED, headers: validators, body: '' })
      return
    }
    const encoded = coding === 'identity' ? {} : { 'content-encoding': coding }
    sendAnswer(response, { status: 200, headers: { ...validators, ...encoded }, body: await bodyIn(coding) })
  }
}

/** The best coding that a client accepts (RFC 9110, 12.5.3). */
function codingFor(accepted = ''): Coding {
  const weighted = accepted.split(',').map((part) => part.toLowerCase().split(';'))
  const names = weighted.filter(([, weight = 'q=1']) => Number(weight.trim().slice(2)) > 0).map(([name = '']) => name.trim())
  return (['br', 'gzip'] as const).find((coding) => names.includes(coding)) ?? 'identity'
}

/** Whether the client has a copy with this tag, or any (RFC 9110, 13.1.2). */
function has(copies: string | undefined, etag: string): boolean {
  if (copies === undefined) return false
  return copies.split(',').some((copy) => copy.trim() === '*' || copy.trim().replace(/^W\//, '') === etag.slice(2))
}

/** Browsers send a tenth of that. */
const MAX_ACCEPT_CHARACTERS = 2000

/**
 * The media type that a client prefers (RFC 9110, 12.5.1): that of the highest weight, then of the most specific range, then the first in `Accept`. The first of
 * `types` without `Accept`, or if it names none of them.
 */
export function preferredType<Type extends string>(accept: string | undefined, types: readonly [Type, ...Type[]]): Type {
  const parts = (accept ?? '').slice(0, MAX_ACCEPT_CHARACTERS).toLowerCase().split(',')
  const ranges = parts.map((part, place) => {
    const [range, ...parameters] = part.split(';').map((word) => word.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return { range, weight: Number(weight?.slice('q='.length) ?? 1), place }
  })
  const matches = types.flatMap((type) => {
    const names = [type, `${type.split('/', 1)[0]}/*`, '*/*']
    const generality = names.findIndex((name) => ranges.some(({ range }) => range === name))
    const match = ranges.find(({ range }) => range === names[generality])
    return match === undefined || !(match.weight > 0) ? [] : [{ ...match, type, generality }]
  })
  matches.sort((a, b) => b.weight - a.weight || a.generality - b.generality || a.place - b.place)
  return matches[0]?.type ?? types[0]
}
