import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Contract } from '@slotwire/contract'
import { type Clock, coreErrors, type Log, type Random, type SlotwireError, sessionIdentifier } from '@slotwire/core'
import { type Caller, errorAnswer, sendAnswer, type WriteRecord } from '@slotwire/service'
import { ConnectionQueues, type Queued } from './connection-queues.ts'
import { type Ending, Exchange } from './exchange.ts'
import { clientOf, requestHeaders } from './forward-headers.ts'
import { defaultForwardLimits, type ForwardLimits } from './forward-limits.ts'
import { type ForwardTarget, forwardTarget } from './forward-target.ts'
import { parseUpstream, type Upstream, UpstreamConnections } from './upstream.ts'

export interface ForwarderOptions {
  /** Addresses of services in other processes, by name; called for each request. */
  readonly upstreams: () => Readonly<Record<string, string>>
  /** Contracts of the services: they declare which requests have an effect. */
  readonly contracts: readonly Contract[]
  readonly clock: Clock
  readonly log: Log
  readonly random: Random
  /** Overrides for `defaultForwardLimits`. */
  readonly limits?: Partial<ForwardLimits>
  /** Called for each forwarded write after its response or failure. */
  readonly onWrite?: (record: WriteRecord) => void
}

/** Letters and digits of the name by which the forwarder recognizes its own requests. */
const PSEUDONYM_LENGTH = 12

/** A request to another process. */
interface Forwarded {
  readonly request: IncomingMessage
  readonly target: ForwardTarget
  readonly caller: Caller | undefined
}

/** The reverse proxy of a door: forwards requests to services in other processes. */
export class Forwarder {
  readonly #options: ForwarderOptions
  readonly #limits: ForwardLimits
  readonly #connections: UpstreamConnections
  readonly #pseudonym: string
  readonly #running = new Map<Exchange, ForwardTarget>()
  readonly #queues: ConnectionQueues<Queued>
  readonly #queued = new WeakMap<Exchange, { readonly socket: Socket; readonly queued: Queued }>()
  /** Services whose last request failed. */
  readonly #down = new Set<string>()
  #closing = false
  #onIdle: (() => void) | undefined

  constructor(options: ForwarderOptions) {
    this.#options = options
    this.#limits = { ...defaultForwardLimits, ...options.limits }
    this.#connections = new UpstreamConnections(this.#limits)
    this.#queues = new ConnectionQueues(this.#limits.pipelined)
    this.#pseudonym = `slotwire-${sessionIdentifier(options.random).slice(0, PSEUDONYM_LENGTH)}`
  }

  /** Handles the request if its service runs in another process; otherwise returns false. */
  forward(request: IncomingMessage, response: ServerResponse, caller: Caller | undefined): boolean {
    const target = forwardTarget(request.method ?? '', request.url ?? '', this.#options.contracts)
    if (target === undefined) return false
    const upstreams = this.#options.upstreams()
    const address = Object.hasOwn(upstreams, target.service) ? upstreams[target.service] : undefined
    if (address === undefined) return false
    const upstream = parseUpstream(address)
    const forwarded: Forwarded = { request, target, caller }
    const refusal = this.#refusalOf(forwarded, upstream)
    if (refusal === undefined && upstream !== undefined) {
      this.#exchange(forwarded, response, upstream)
      return true
    }
    const error = refusal ?? coreErrors.serviceUnreachable({ service: target.service })
    sendAnswer(response, errorAnswer(error))
    this.#record(forwarded, { status: error.status, durationMs: 0 })
    return true
  }

  /** Accepts no more requests. Resolves after running requests are answered, or refused after a deadline. */
  async close(): Promise<void> {
    const { clock } = this.#options
    this.#closing = true
    if (this.#running.size > 0) {
      const idle = new Promise<void>((resolve) => {
        this.#onIdle = resolve
      })
      const deadline = clock.after(this.#limits.closeMs, () => {
        // In reverse order, so that no waiting request starts.
        for (const exchange of [...this.#running.keys()].reverse()) exchange.refuse(coreErrors.stopping())
      })
      await idle
      deadline.cancel()
    }
    this.#connections.close()
  }

  #refusalOf({ request, target, caller }: Forwarded, upstream: Upstream | undefined): SlotwireError | undefined {
    const { service, effect } = target
    if (this.#closing) return coreErrors.stopping()
    // Not left to the service, which may ignore the header. The door has refused other writes.
    if (effect === 'action' && caller?.readOnly === true) return coreErrors.readOnly()
    if (upstream === undefined)
      return this.#markDown(service, new Error('its address is invalid: use one like http://127.0.0.1:8002'))
    if (request.headers.via?.includes(this.#pseudonym) === true)
      return this.#markDown(service, new Error('its address leads back here'))
    if (effect === 'write' || effect === 'action') return undefined
    const readings = [...this.#running.values()].filter((running) => running.service === service).length
    const limit = this.#limits.readings
    return readings < limit ? undefined : coreErrors.serviceBusy({ service, limit })
  }

  #exchange(forwarded: Forwarded, response: ServerResponse, upstream: Upstream): void {
    const { request, target, caller } = forwarded
    const { clock } = this.#options
    const arrived = clock.now()
    const headers = requestHeaders(request, {
      ...clientOf(request, caller),
      host: upstream.host,
      pseudonym: this.#pseudonym,
    })
    const exchange = new Exchange({
      request,
      response,
      target,
      tls: upstream.tls,
      open: (newConnection) =>
        this.#connections.open(upstream, { method: request.method ?? '', path: target.path, headers, newConnection }),
      clock,
      limits: this.#limits,
      onEnd: (ending) => this.#onEnd(exchange, forwarded, { ...ending, durationMs: clock.now() - arrived }),
    })
    const { socket } = request
    const queued = { start: () => this.#start(exchange, { socket, response }) }
    this.#running.set(exchange, target)
    this.#queued.set(exchange, { socket, queued })
    if (this.#queues.add(socket, queued)) return
    this.#remove(exchange)
    sendAnswer(response, errorAnswer(coreErrors.serviceBusy({ service: target.service, limit: this.#limits.pipelined })))
  }

  #start(exchange: Exchange, { socket, response }: { readonly socket: Socket; readonly response: ServerResponse }): void {
    // The client has gone: do not forward its request.
    if (socket.destroyed) {
      this.#remove(exchange)
      return
    }
    try {
      exchange.start()
    } catch (error) {
      this.#remove(exchange)
      sendAnswer(
        response,
        errorAnswer(coreErrors.malformedRequest({ reason: 'it has characters that cannot be forwarded' }, { cause: error })),
      )
    }
  }

  /** Removes the exchange; the next one of the same connection starts. */
  #remove(exchange: Exchange): void {
    const place = this.#queued.get(exchange)
    this.#running.delete(exchange)
    if (place !== undefined) this.#queues.remove(place.socket, place.queued)
    if (this.#running.size === 0) this.#onIdle?.()
  }

  #onEnd(exchange: Exchange, forwarded: Forwarded, ending: Ending & { readonly durationMs: number }): void {
    const { status, body, durationMs } = ending
    const { service } = forwarded.target
    if (ending.failure !== undefined) this.#markDown(service, ending.failure)
    else if (ending.answered) this.#markUp(service)
    this.#record(forwarded, { status, durationMs, ...(body === undefined ? {} : { body }) })
    this.#remove(exchange)
  }

  #record(
    { request, target: { service, effect, path }, caller }: Forwarded,
    outcome: Pick<WriteRecord, 'status' | 'durationMs' | 'body'>,
  ): void {
    const { onWrite, log } = this.#options
    if (onWrite === undefined || (effect !== 'write' && effect !== 'action')) return
    const method = request.method ?? ''
    try {
      onWrite({ caller, method, path: path.replace(/[?#].*$/s, ''), target: { service }, ...outcome })
    } catch (error) {
      log.error({ err: error, method, path }, 'a write was not recorded')
    }
  }

  /** Logs only the first failure and the recovery: clients may try ten times a second. */
  #markDown(service: string, err: Error): SlotwireError {
    if (!this.#down.has(service)) this.#options.log.warn({ service, err }, 'a service cannot be reached')
    this.#down.add(service)
    return coreErrors.serviceUnreachable({ service })
  }

  #markUp(service: string): void {
    if (this.#down.delete(service)) this.#options.log.info({ service }, 'a service is reached again')
  }
}
