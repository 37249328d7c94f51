import { unlessAborted } from '@slotwire/core'
import { ClientError } from './client-error.ts'

/** One exchange, and the only thing that touches the network: `fetch`, with a path in place of a URL. */
export type Transport = (path: string, init: TransportRequest) => Promise<Response>

export interface TransportRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

/** Uses `fetch`. `base` may have a path of its own: a proxy may serve several devices. Never sends cookies, nor follows a redirection. */
export function fetchTransport(base: URL, fetch: typeof globalThis.fetch): Transport {
  const root = base.href.replace(/\/+$/, '')
  return (path, init) => fetch(root + path, { ...init, credentials: 'omit', redirect: 'manual' })
}

/** A twin in this process (`createTwin`), or anything that answers like one. */
export interface InProcess {
  request(request: {
    readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
    readonly path: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: unknown
  }): Promise<{ readonly status: number; readonly headers: Readonly<Record<string, unknown>>; readonly body: unknown }>
}

/** Sends requests to a twin without a socket. Its answers come as a whole, so there are no streams. */
export function twinTransport(twin: InProcess): Transport {
  return async (path, { method, headers, body, signal }) => {
    signal.throwIfAborted()
    const sent = body === undefined ? {} : { body: JSON.parse(body) as unknown }
    const answer = await unlessAborted(twin.request({ method: method as 'GET', path, headers, ...sent }), signal)
    const fields = Object.entries(answer.headers).filter(([name]) => name !== 'content-length')
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? '')
    return new Response(text, {
      status: answer.status,
      headers: fields.map(([name, value]): [string, string] => [name, String(value)]),
    })
  }
}

const LOCAL = 'http://127.0.0.1:8080'

/** Checks the address of a device. */
export function baseUrl(address: string | URL): URL {
  const text = String(address)
  const url = URL.canParse(text) ? new URL(text) : undefined
  const problem =
    url === undefined && /^https?:\/\/\[[^\]]*%/i.test(text)
      ? 'no URL can name a network interface (%…): use a host name, or an address without one'
      : url === undefined || !['http:', 'https:'].includes(url.protocol)
        ? `it must begin with http:// or https://, as ${LOCAL}`
        : url.username !== '' || url.password !== ''
          ? 'give the token in the options, not in the address'
          : url.search !== '' || url.hash !== ''
            ? 'leave out ? and # and what follows'
            : undefined
  if (url === undefined || problem !== undefined)
    throw new ClientError(
      `the address ${text.includes('@') ? (url?.host ?? 'given') : JSON.stringify(text)} cannot be used: ${problem}`,
      { kind: 'invalid' },
    )
  return url
}

/** Of one answer; the largest page of the history has half a megabyte. */
const MAX_ANSWER_BYTES = 4_194_304

/** Reads a body, up to a bound: a broken server may send without end. */
export async function readText(response: Response): Promise<string> {
  const length = response.headers.get('content-length')
  const isBounded = length !== null && Number(length) <= MAX_ANSWER_BYTES && !response.headers.has('content-encoding')
  if (response.body === null || isBounded) return response.text()
  const decoder = new TextDecoder()
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  let text = ''
  let left = MAX_ANSWER_BYTES
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text + decoder.decode()
      left -= value.byteLength
      if (left < 0) throw new Error(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`)
      text += decoder.decode(value, { stream: true })
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
