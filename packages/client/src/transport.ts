import { ClientError } from './client-error.ts'

/** One exchange, and the only thing that touches the network: `fetch`, with a path in place of a URL. */
export type Transport = (path: string, init: TransportRequest) => Promise<Response>

export interface TransportRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

/** Uses `fetch`. `base` may have a path of its own: a proxy may serve several devices. Never sends cookies. */
export function fetchTransport(base: URL, fetch: typeof globalThis.fetch): Transport {
  const root = base.href.replace(/\/+$/, '')
  return (path, init) => fetch(root + path, { ...init, credentials: 'omit', redirect: 'error' })
}

const LOCAL = 'http://127.0.0.1:8080'

/** Checks the address of a device. */
export function baseUrl(address: string | URL): URL {
  const text = String(address)
  const url = URL.canParse(text) ? new URL(text) : undefined
  const problem =
    url === undefined || !['http:', 'https:'].includes(url.protocol)
      ? `it must begin with http:// or https://, as ${LOCAL}`
      : url.username !== '' || url.password !== ''
        ? 'give the token in the options, not in the address'
        : url.search !== '' || url.hash !== ''
          ? 'leave out ? and # and what follows'
          : undefined
  if (url === undefined || problem !== undefined)
    throw new ClientError(`the address ${JSON.stringify(text)} cannot be used: ${problem}`, { kind: 'invalid' })
  return url
}

/** Of one answer; the largest page of the history has half a megabyte. */
const MOST_BYTES = 4_194_304

/** Reads a body, up to a bound: a broken server may send without end. */
export async function readText(response: Response): Promise<string> {
  const length = response.headers.get('content-length')
  if (response.body === null || (length !== null && Number(length) <= MOST_BYTES)) return response.text()
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  let text = ''
  let left = MOST_BYTES
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text + decoder.decode()
      left -= value.byteLength
      if (left < 0) throw new Error(`the answer is longer than ${MOST_BYTES} bytes`)
      text += decoder.decode(value, { stream: true })
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
