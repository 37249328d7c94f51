import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { ForwardLimits } from './forward-limits.ts'

/** Where a service runs. */
export interface Upstream {
  readonly tls: boolean
  readonly hostname: string
  readonly port: number
  /** As the `Host` header has it. */
  readonly host: string
}

/** A request that a service is to get. */
export interface UpstreamRequest {
  readonly method: string
  readonly path: string
  readonly headers: readonly string[]
  /** On a connection of its own: one that was kept may have been closed in the meantime. */
  readonly fresh: boolean
}

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** Reads the address of a service as settings have it, `http://127.0.0.1:8002`; undefined for what is none. */
export function parseUpstream(text: string): Upstream | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const standardPort = PORTS[url.protocol]
  if (standardPort === undefined || url.hostname === '') return undefined
  return {
    tls: url.protocol === 'https:',
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? standardPort : Number(url.port),
    host: url.host,
  }
}

/** Connections to services, kept between requests within the limits. */
export class UpstreamConnections {
  readonly #plain: HttpAgent
  readonly #tls: HttpsAgent
  readonly #headerBytes: number

  constructor({ idleConnections, idleMs, headerBytes }: ForwardLimits) {
    const options = { keepAlive: true, maxFreeSockets: idleConnections, timeout: idleMs, scheduling: 'lifo' } as const
    this.#plain = new HttpAgent(options)
    this.#tls = new HttpsAgent(options)
    this.#headerBytes = headerBytes
  }

  /** Begins a request; what becomes of it is told by its events. Throws for what cannot stand in a request. */
  open({ tls, hostname, port }: Upstream, { method, path, headers, fresh }: UpstreamRequest): ClientRequest {
    const options: RequestOptions = {
      host: hostname,
      port,
      method,
      path,
      headers,
      setHost: false,
      maxHeaderSize: this.#headerBytes,
      ...(fresh ? { agent: false } : { agent: tls ? this.#tls : this.#plain }),
    }
    return tls ? httpsRequest(options) : httpRequest(options)
  }

  /** Ends all connections, also those in use. */
  close(): void {
    this.#plain.destroy()
    this.#tls.destroy()
  }
}
