import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { isIP, connect as plainConnect } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect as tlsConnect } from 'node:tls'
import { type Clock, orElse } from '@slotwire/core'
import packets, { type Answer as DnsAnswer } from 'dns-packet'

export type { DnsAnswer }

export interface WireRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

export interface WireAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | number | undefined>>
  readonly text: string
  /** Parsed JSON; undefined for anything else. */
  readonly body: unknown
}

/** The way to a device: HTTP, bytes of a socket, multicast DNS, time. */
export interface DeviceWire {
  /** Host of the device, as in its address; an IPv6 address without brackets. */
  readonly host: string
  readonly token?: string | undefined
  readonly request: (request: WireRequest) => Promise<WireAnswer>
  /** Sends bytes on a connection of their own, with a path in them below that of the address; resolves with all that comes until its end, or for some seconds. */
  readonly raw: (bytes: string) => Promise<string>
  /** All records that come as answers to a question for a service type, as `_http._tcp.local`. */
  readonly browse: (type: string) => Promise<readonly DnsAnswer[]>
  /** Addresses of the device's host. */
  readonly addresses: () => Promise<readonly string[]>
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Real time in milliseconds. */
  readonly now: () => number
}

/** An answer from its text. */
export function answerOf(status: number, headers: WireAnswer['headers'], body: string): WireAnswer {
  return { status, headers, text: body, body: orElse<unknown>(undefined, () => JSON.parse(body)) }
}

const DEADLINE_MS = 40_000
const RAW_MS = 5000
const BROWSE_MS = 2000
const MDNS = { port: 5353, address: '224.0.0.251' } as const

/** The wire to an address. With `ca` (PEM) only servers of this authority are trusted. Throws `TypeError` for any other address. */
export function nodeWire(
  { url: address, token, ca }: { readonly url: string; readonly token?: string | undefined; readonly ca?: string | undefined },
  clock: Clock,
): DeviceWire {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new TypeError(`the address ${address} is invalid: write one as in http://127.0.0.1:8080`)
  const isTls = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const root = url.pathname.replace(/\/+$/, '')
  const trust = ca === undefined ? {} : { ca }
  return {
    host,
    token,
    request: async ({ method, path, headers, body }) => {
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
      const where = { ...trust, host, port: url.port, method, path: root + path, agent: false }
      const sent = (isTls ? tlsRequest : plainRequest)({ ...where, headers: { ...headers, ...length } })
      const deadline = clock.after(DEADLINE_MS, () => sent.destroy(new Error(`no answer within ${DEADLINE_MS / 1000} s`)))
      const failed = new Promise<never>((_resolve, reject) => sent.on('error', reject))
      const answered = new Promise<IncomingMessage>((resolve) => sent.on('response', resolve))
      const read = answered.then(async (answer) => answerOf(answer.statusCode ?? 0, answer.headers, await text(answer)))
      sent.end(body)
      return Promise.race([failed, read]).finally(() => deadline.cancel())
    },
    raw: async (bytes) => {
      const port = Number(url.port) || (isTls ? 443 : 80)
      const socket = isTls ? tlsConnect({ ...trust, host, port, servername: isIP(host) ? '' : host }) : plainConnect(port, host)
      const ended = { isLate: false }
      const end = clock.after(RAW_MS, () => {
        ended.isLate = true
        socket.destroy()
      })
      let answer = ''
      socket.write(
        bytes.replace(/^[A-Z]+ (?=\/)/, (method) => method + root),
        'latin1',
      )
      try {
        for await (const part of socket.setEncoding('latin1')) answer += String(part)
      } catch (error) {
        // A connection that breaks after an answer has answered; one that only stays open has not.
        if (answer === '' && !ended.isLate) throw error
      } finally {
        end.cancel()
      }
      return answer
    },
    browse: (name) =>
      new Promise((resolve, reject) => {
        const records: DnsAnswer[] = []
        const socket = createSocket('udp4')
        socket.on('message', (message) => {
          const packet = orElse(undefined, () => packets.decode(message))
          records.push(...(packet?.answers ?? []), ...(packet?.additionals ?? []))
        })
        socket.on('error', reject)
        socket.send(packets.encode({ type: 'query', questions: [{ type: 'PTR', name }] }), MDNS.port, MDNS.address)
        clock.after(BROWSE_MS, () => socket.close(() => resolve(records)))
      }),
    addresses: async () => (await lookup(host, { all: true })).map(({ address: ip }) => ip),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    now: () => clock.now(),
  }
}
