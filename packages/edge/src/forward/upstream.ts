import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { ForwardLimits } from './forward-limits.ts'

/** Address of a service. */
export interface Upstream {
  readonly tls: boolean
  readonly hostname: string
  readonly port: number
  /** In the form for the `Host` header. */
  readonly host: string
}

/** A request to a service. */
export interface UpstreamRequest {
  readonly method: string
  readonly path: string
  readonly headers: readonly string[]
  /** On a new connection: the service may have closed a kept one. */
  readonly newConnection: boolean
}

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** Parses the address of a service from the settings, `http://127.0.0.1:8002`; undefined if it is invalid. */
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

  /** Starts a request; its events report the result. Throws for characters that a request cannot contain. */
  open({ tls, hostname, port }: Upstream, { method, path, headers, newConnection }: UpstreamRequest): ClientRequest {
    const options: RequestOptions = {
      host: hostname,
      port,
      method,
      path,
      headers,
      setHost: false,
      maxHeaderSize: this.#headerBytes,
      ...(newConnection ? { agent: false } : { agent: tls ? this.#tls : this.#plain }),
    }
    return tls ? httpsRequest(options) : httpRequest(options)
  }

  /** Closes all connections, busy ones included. */
  close(): void {
    this.#plain.destroy()
    this.#tls.destroy()
  }
}
