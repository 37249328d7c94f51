import { get, type IncomingMessage } from 'node:http'
import { get as getSecurely, type RequestOptions } from 'node:https'
import type { Clock } from '@slotwire/core'

interface GetOptions extends Pick<RequestOptions, 'ca' | 'rejectUnauthorized'> {
  readonly clock: Clock
  readonly deadlineMs: number
  readonly maxBytes: number
  readonly signal?: AbortSignal | undefined
}

/** The answer to a GET on a connection of its own, not from a cache. Rejects if it is late or has more bytes. */
export async function getText(url: string, { clock, deadlineMs, maxBytes, signal, ...trust }: GetOptions) {
  const end = new AbortController()
  const time = deadlineMs < 1000 ? `${deadlineMs} ms` : `${deadlineMs / 1000} s`
  const late = clock.after(deadlineMs, () => end.abort(new Error(`no answer within ${time}`)))
  const either = signal === undefined ? end.signal : AbortSignal.any([signal, end.signal])
  try {
    either.throwIfAborted()
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = { ...trust, agent: false, signal: either, headers: { 'cache-control': 'no-cache' } }
      const request = url.startsWith('https:') ? getSecurely : get
      request(url, options, resolve).once('error', reject)
    })
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) throw new Error(`its response is longer than ${maxBytes} bytes`)
      chunks.push(chunk)
    }
    return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }
  } catch (error) {
    either.throwIfAborted()
    throw error
  } finally {
    late.cancel()
    end.abort()
  }
}
