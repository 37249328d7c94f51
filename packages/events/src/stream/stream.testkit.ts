import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { ManualClock, silentLog } from '@slotwire/core'
import { listen } from '@slotwire/edge'
import { type Caller, type HttpLimits, idleReader } from '@slotwire/service'
import { createToy, type Toy } from '../../../service/src/toy.testkit.ts'
import { Journal } from '../journal.ts'
import { addStreamRoute, EventStreams } from './event-streams.ts'

/** A message as a client gets it. */
export interface Message {
  readonly id: string | undefined
  readonly data: Readonly<Record<string, unknown>> | undefined
}

/** Time in which every batch is sent. */
export const BATCH_MS = 20

/** The stream of a toy service, at a door with real sockets and stepped time. */
export class StreamWorld {
  readonly #clients: Subscriber[] = []

  private constructor(
    readonly clock: ManualClock,
    readonly journal: Journal,
    readonly streams: EventStreams,
    readonly toy: Toy,
    readonly port: number,
  ) {}

  static async open(options: { limits?: Partial<HttpLimits>; caller?: Partial<Caller> } = {}): Promise<StreamWorld> {
    const clock = new ManualClock()
    const { limits = {}, caller } = options
    const toy = await createToy({ realTime: clock, limits })
    const door = await listen(
      toy.service,
      { host: '127.0.0.1', port: 0 },
      {
        checkAccess: (_request, { address }) => ({ caller: { door: 'loopback', address, readOnly: false, ...caller } }),
      },
    )
    return StreamWorld.at(door.address.port, toy, clock)
  }

  /** Adds the stream to a toy with an open door. */
  static at(port: number, toy: Toy, clock: ManualClock): StreamWorld {
    const journal = new Journal({ boot: 7, clock, wallTime: () => 0, log: silentLog })
    const { context, routes } = toy.service
    const read = idleReader(context)
    const streams = new EventStreams({ journal, context, state: () => ({ modules: [] }), read, wallTime: () => 0 })
    addStreamRoute(routes, streams)
    return new StreamWorld(clock, journal, streams, toy, port)
  }

  /** A stream. `from`: the client's address. */
  async subscribe(query = '', headers: Readonly<Record<string, string>> = {}, from = '127.0.0.1'): Promise<Subscriber> {
    const options = { port: this.port, path: `/slotwire/events${query}`, headers, localAddress: from, agent: false }
    const [response] = (await once(get(options), 'response')) as [IncomingMessage]
    const client = new Subscriber(response)
    this.#clients.push(client)
    return client
  }

  /** The answer to a request that ends. */
  async ask(query: string, init: RequestInit = {}): Promise<{ status: number; body: string; headers: Headers }> {
    const answer = await fetch(`http://127.0.0.1:${this.port}/slotwire/events${query}`, init)
    return { status: answer.status, body: await answer.text(), headers: answer.headers }
  }

  /** Adds alerts of a pin and lets them be sent. Returns their ids. */
  async alerts(count: number, pin = 1): Promise<string[]> {
    const ids = Array.from({ length: count }, () => this.journal.add({ kind: 'alert', slot: 3, service: 'toy', pin }).id)
    await this.clock.advance(BATCH_MS)
    return ids
  }

  metric(name: string): number | undefined {
    return this.streams.families().find((family) => family.name === `slotwire_events_${name}`)?.samples[0]?.value
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.close()
    await this.toy.service.abort()
  }
}

/** A client of the stream. */
export class Subscriber {
  readonly #messages: Message[] = []
  #waiting: (() => void) | undefined
  #rest = ''
  #isClosed = false

  constructor(readonly response: IncomingMessage) {
    response.setEncoding('utf8')
    response.on('data', (text: string) => this.#add(text))
    response.on('error', () => undefined)
    response.once('close', () => {
      this.#isClosed = true
      this.#waiting?.()
    })
  }

  /** The next messages, as soon as there are so many. Rejects if the stream ends before. */
  async next(count = 1): Promise<Message[]> {
    while (this.#messages.length < count) {
      if (this.#isClosed) throw new Error(`the stream ended after ${JSON.stringify(this.#messages)}`)
      await new Promise<void>((resolve) => {
        this.#waiting = resolve
      })
    }
    return this.#messages.splice(0, count)
  }

  /** The next message's JSON. */
  async data(): Promise<Message['data']> {
    const [message] = await this.next()
    return message?.data
  }

  /** All messages until the server ends the stream. */
  async rest(): Promise<Message[]> {
    while (!this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#waiting = resolve
      })
    }
    return this.#messages.splice(0)
  }

  close(): void {
    this.response.destroy()
  }

  #add(text: string): void {
    const parts = (this.#rest + text).split('\n\n')
    this.#rest = parts.pop() ?? ''
    for (const part of parts) {
      const fields = new Map(part.split('\n').map((line) => [line.replace(/: .*/s, ''), line.replace(/^\w+: /, '')]))
      const data = fields.get('data')
      this.#messages.push({
        id: fields.get('id'),
        data: data === undefined ? undefined : (JSON.parse(data) as Record<string, unknown>),
      })
    }
    this.#waiting?.()
  }
}
