import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { request as requestSecurely, Agent as SecureAgent } from 'node:https'
import { text } from 'node:stream/consumers'
import type { Contract } from '@slotwire/contract'
import type { Clock, Random } from '@slotwire/core'
import fc from 'fast-check'
import * as allContracts from '../../modules/contracts.ts'
import { anyRequest, type ValidRequest } from '../device/any-request.testkit.ts'
import { endpointsOf } from '../device/bad-request.testkit.ts'
import type { MeasuredService } from './measured-service.testkit.ts'

const contracts: readonly Contract[] = Object.values(allContracts)
/** Number of different requests of each endpoint. */
const OF_EACH = 40
/** Endpoints that restart the device or a module, and the number of their requests. */
const RARE = /(reset|shutdown|usb_bootloader)$/
const OF_RARE = 3
/** Endpoints after which the whole device restarts, and how often a client uses one: until it is back, all others get 502. */
const RESTARTS = /(hard_reset|watchdog\/shutdown|usb_bootloader)$/
const RESTART_EVERY_MS = 60_000
/** Share of requests that end their connection. */
const LAST_OF_CONNECTION = 0.02
/** Every second client uses the network door, every eighth with a wrong token. */
const [NETWORK_EVERY, WRONG_EVERY] = [2, 8]
/** Clients with wrong tokens have another address, because the limit of wrong tokens counts each address. */
const WRONG_FROM = '127.0.0.2'
const PAGES = ['livez', 'readyz', 'metrics', 'status', 'openapi.json', 'docs/', 'nothing'].map((page) => `/slotwire/${page}`)

/** Valid requests to all endpoints, and to the pages beside them. */
export function allRequests(seed: number): readonly ValidRequest[] {
  const ofEndpoints = contracts.flatMap((contract) =>
    endpointsOf(contract).flatMap(([, endpoint]) =>
      fc.sample(anyRequest(contract, endpoint), { numRuns: RARE.test(endpoint.path) ? OF_RARE : OF_EACH, seed }),
    ),
  )
  return [...ofEndpoints, ...PAGES.map((url) => ({ method: 'GET', url, body: undefined }))]
}

interface Load {
  readonly service: MeasuredService
  readonly requests: readonly ValidRequest[]
  readonly random: Random
  readonly clock: Clock
}

/** Clients that send one random request after the other, each on its own connection. */
export class Clients {
  /** Number of answers by status; a 5xx with its body. */
  readonly answered = new Map<string, number>()
  readonly #running: Promise<void>[] = []
  #restartedMs: number
  #stopped = false

  constructor(private readonly load: Load) {
    this.#restartedMs = load.clock.now()
  }

  start(count: number): void {
    for (let client = 0; client < count; client++) this.#running.push(this.#run(client))
  }

  /** Resolves when all requests are answered. Rejects if one had no answer. */
  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#running)
  }

  async #run(client: number): Promise<void> {
    const { service, random } = this.load
    const isNetwork = client % NETWORK_EVERY === 0
    const isWrong = client % WRONG_EVERY === 0
    const options = {
      keepAlive: true,
      maxSockets: 1,
      rejectUnauthorized: false,
      ...(isWrong ? { localAddress: WRONG_FROM } : {}),
    }
    const agent = isNetwork ? new SecureAgent(options) : new Agent(options)
    const [base, send] = isNetwork ? [service.network, requestSecurely] : [service.loopback, request]
    const credentials = Buffer.from(`token:${service.token}${isWrong ? 'x' : ''}`).toString('base64')
    const headers = { 'content-type': 'application/json', ...(isNetwork ? { authorization: `Basic ${credentials}` } : {}) }
    while (!this.#stopped) {
      const { method, url, body } = this.#next()
      const last = random() < LAST_OF_CONNECTION ? { connection: 'close' } : {}
      const fresh = random() < 1 / 2 ? { 'cache-control': 'no-cache' } : {}
      const sent = send(base + url, { method, agent, headers: { ...headers, ...last, ...fresh } })
      const [answer] = (await once(sent.end(JSON.stringify(body)), 'response')) as [IncomingMessage]
      const [status, content] = [answer.statusCode ?? 0, await text(answer)]
      const name = status < 500 ? `${status}` : `${status} ${content}`
      this.answered.set(name, (this.answered.get(name) ?? 0) + 1)
    }
    agent.destroy()
  }

  #next(): ValidRequest {
    const { requests, random, clock } = this.load
    const found = requests[Math.floor(random() * requests.length)] as ValidRequest
    if (!RESTARTS.test(found.url)) return found
    if (clock.now() < this.#restartedMs + RESTART_EVERY_MS) return this.#next()
    this.#restartedMs = clock.now()
    return found
  }
}
