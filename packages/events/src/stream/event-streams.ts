import type { IncomingMessage, ServerResponse } from 'node:http'
import { formatPosition, type Position, parsePosition } from '@slotwire/contract'
import { type Clock, coreErrors, nextTurn, type Timer } from '@slotwire/core'
import {
  type Caller,
  COMMON_HEADERS,
  JSON_TYPE,
  type MetricFamily,
  preferredType,
  type ReadWatched,
  type Service,
  sendAnswer,
  singleMetric,
} from '@slotwire/service'
import type { Journal, JournalPage } from '../journal.ts'
import { Broadcast, type EndReason, gapOf, helloOf } from './broadcast.ts'
import { assertMayWatch, filterOf, parseStreamQuery, type StreamQuery } from './stream-query.ts'
import { StreamReader, type StreamReaderOptions } from './stream-reader.ts'
import { Watches } from './watches.ts'

/** Most streams of one caller: a token, or an address at the loopback door. */
const STREAMS_PER_CALLER = 16
/** How often streams are checked, in milliseconds: rights, pauses and connections that take nothing. */
const CHECK_MS = 500
/** `no` for proxies: nginx would collect the answer otherwise. */
const STREAM_HEADERS = {
  ...COMMON_HEADERS,
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}
const POLL_HEADERS = { 'content-type': JSON_TYPE, 'cache-control': 'no-store' }

export interface EventStreamsOptions {
  readonly journal: Pick<Journal, 'read' | 'last' | 'subscribe'>
  readonly context: Service['context']
  /** The readable state for a caller, for `hello`. */
  readonly state: (caller: Caller | undefined) => object
  readonly read: ReadWatched
  readonly wallTime: () => number
}

/** A request for records. */
interface Subscription extends Pick<StreamReaderOptions, 'response' | 'filter' | 'after'> {
  readonly request: IncomingMessage
  readonly caller: Caller | undefined
}

/** An open stream, or a long poll that waits. */
interface Open {
  readonly caller: Caller | undefined
  check(): void
  end(reason: EndReason): void
}

/** All subscribers of one service: `GET /slotwire/events`. */
export class EventStreams {
  readonly #clock: Clock
  readonly #broadcast: Broadcast
  readonly #watches: Watches
  /** In order of their start. */
  readonly #open = new Set<Open>()
  #timer: Timer | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #gaps = 0
  #stalled = 0

  constructor(private readonly options: EventStreamsOptions) {
    const { journal, context, read, wallTime } = options
    const { doorTime: clock, clock: deviceTime, log } = context
    this.#clock = clock
    this.#broadcast = new Broadcast(journal, clock)
    this.#watches = new Watches({ clock, deviceTime, wallTime, read, log })
  }

  /** Answers a request: with a stream, or once for a long poll. Throws `SlotwireError` before anything is sent. */
  answer(request: IncomingMessage, response: ServerResponse, caller: Caller | undefined): void | Promise<void> {
    const { contracts, running } = this.options.context
    const acceptsJson = preferredType(request.headers.accept, ['text/event-stream', JSON_TYPE]) === JSON_TYPE
    const query = parseStreamQuery(request.url ?? '', acceptsJson, contracts)
    assertMayWatch(query, caller, contracts)
    if (running.closing) throw coreErrors.stopping()
    const { waitMs } = query
    if (request.method === 'HEAD') {
      sendAnswer(response, { status: 200, headers: waitMs === undefined ? STREAM_HEADERS : POLL_HEADERS, body: '' })
      return
    }
    const filter = filterOf(query, caller, contracts)
    const subscription = { request, response, caller, filter, after: positionOf(request, query) }
    if (waitMs === undefined) this.#stream(subscription, query.watches)
    else return this.#poll(subscription, waitMs)
  }

  families(): readonly MetricFamily[] {
    return [
      singleMetric('gauge', 'slotwire_events_subscribers', 'Open event streams and waiting long polls.', this.#open.size),
      singleMetric(
        'counter',
        'slotwire_events_gaps_total',
        'Gaps reported to subscribers: records that were lost for one.',
        this.#gaps,
      ),
      singleMetric(
        'counter',
        'slotwire_events_stalled_total',
        'Streams closed because the client read nothing for 30 s.',
        this.#stalled,
      ),
    ]
  }

  #stream(subscription: Subscription, watches: StreamQuery['watches']): void {
    const { response, caller, filter } = subscription
    const { journal, state } = this.options
    this.#makeRoom(caller)
    const reader = new StreamReader({
      ...subscription,
      journal,
      clock: this.#clock,
      state: () => state(caller),
      readInTurn: (read) => this.#readInTurn(read, response),
      onGap: () => this.#gaps++,
      onStalled: () => this.#stalled++,
    })
    const send = (message: object): boolean => {
      this.#broadcast.flush()
      return reader.send(message)
    }
    const stops = [
      this.#broadcast.subscribe(filter, (messages, last) => reader.take(messages, last)),
      ...watches.map((watch) => this.#watches.add(watch, send)),
    ]
    const remove = (): void => {
      this.#remove(open)
      for (const stop of stops) stop()
    }
    const open: Open = {
      caller,
      check: () => reader.check(),
      end: (reason) => {
        remove()
        reader.end(reason)
      },
    }
    this.#add(subscription, open)
    response.once('close', remove)
    // A client that goes away is no failure of the service.
    response.on('error', () => undefined)
    response.writeHead(200, STREAM_HEADERS)
    response.flushHeaders()
    reader.start()
  }

  /** Readers that are behind read the journal one in each turn of the event loop: ordinary requests run between them. */
  #readInTurn(read: () => void, response: ServerResponse): void {
    this.#inTurn(() => {
      // Otherwise a record that waits for its batch would be sent twice.
      this.#broadcast.flush()
      read()
    }).catch((err: unknown) => {
      this.options.context.log.error({ err }, 'the journal could not be read for a stream, which ends')
      response.destroy()
    })
  }

  #inTurn<Result>(work: () => Result): Promise<Result> {
    const result = this.#turn.then(nextTurn).then(work)
    this.#turn = result.catch(() => undefined)
    return result
  }

  async #poll(subscription: Subscription, waitMs: number): Promise<void> {
    const { request, response, caller, filter } = subscription
    const { journal, state } = this.options
    const answerNow = (isLast: boolean): boolean => {
      this.#broadcast.flush()
      const { body, isEmpty, hasGap } = pollAnswer(subscription, journal, () => state(caller))
      if (isEmpty && !isLast) return false
      if (hasGap) this.#gaps++
      sendAnswer(response, { status: 200, headers: POLL_HEADERS, body })
      return true
    }
    if (await this.#inTurn(() => response.destroyed || answerNow(waitMs === 0))) return
    if (this.options.context.running.closing) throw coreErrors.stopping()
    this.#makeRoom(caller)
    await new Promise<void>((resolve) => {
      const finish = (): void => {
        timer.cancel()
        stop()
        this.#remove(open)
        resolve()
      }
      const end = (): void => {
        finish()
        if (!response.headersSent && !response.destroyed) answerNow(true)
      }
      const open: Open = {
        caller,
        // A client that has ended its side may be gone, or reads this answer.
        check: () => {
          if (request.socket.readableEnded) end()
        },
        end,
      }
      const stop = this.#broadcast.subscribe(filter, end)
      const timer = this.#clock.after(waitMs, end)
      this.#add(subscription, open)
      response.once('close', finish)
    })
  }

  /** Ends the caller's oldest stream if it has too many. Throws `streamsTaken` if all streams are in use. */
  #makeRoom(caller: Caller | undefined): void {
    const { streams: limit } = this.options.context.limits
    const own = [...this.#open].filter((open) => keyOf(open.caller) === keyOf(caller))
    if (own.length >= Math.min(STREAMS_PER_CALLER, limit)) own[0]?.end('replaced')
    if (this.#open.size >= limit) throw coreErrors.streamsTaken({ limit })
  }

  #add({ request, response }: Subscription, open: Open): void {
    this.#open.add(open)
    this.options.context.running.addEndless({ request, response, refuse: () => open.end('stopping') })
    this.#timer ??= this.#clock.after(CHECK_MS, () => this.#check())
  }

  #remove(open: Open): void {
    this.#open.delete(open)
    if (this.#open.size > 0) return
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #check(): void {
    this.#timer = this.#clock.after(CHECK_MS, () => this.#check())
    this.#broadcast.flush()
    for (const open of [...this.#open]) {
      if (open.caller?.isValid?.() === false) open.end('revoked')
      else open.check()
    }
  }
}

function keyOf(caller: Caller | undefined): string {
  return caller === undefined ? '' : (caller.token?.id ?? caller.address)
}

/** Where the client continues. A header without text counts as missing, as browsers send none then. */
function positionOf({ headers }: IncomingMessage, { after }: StreamQuery): Position | string | undefined {
  const header = headers['last-event-id']
  const written = header === undefined || header === '' ? after : String(header)
  return written === undefined ? undefined : (parsePosition(written) ?? written)
}

/** Most bytes of messages in one answer, roughly; the rest comes with the next request. */
const ANSWER_BYTES = 262_144

/**
 * The messages after a position: what a stream would send first. `body` is JSON text without line breaks. `isEmpty`: everything was read, and
 * has no message, so that waiting is worth it.
 */
function pollAnswer({ after, filter }: Subscription, journal: Pick<Journal, 'read' | 'last'>, state: () => object) {
  const { last } = journal
  const to = formatPosition(last)
  const page: JournalPage =
    typeof after === 'object' ? journal.read(after, filter.wants, filter.kinds) : { records: [], next: last }
  const lost = typeof after === 'string' ? { from: null, to, missing: null } : page.gap
  const messages = lost === undefined ? [] : [JSON.stringify(gapOf(lost))]
  let bytes = 0
  let { next } = page
  for (const [index, record] of page.records.entries()) {
    const text = JSON.stringify(filter.seen(record))
    messages.push(text)
    bytes += text.length
    if (bytes < ANSWER_BYTES || index + 1 === page.records.length) continue
    next = parsePosition(record.id) ?? last
    break
  }
  if (lost !== undefined || after === undefined) messages.push(JSON.stringify(helloOf(last, state())))
  const body = `{"messages":[${messages.join(',')}],"next":"${formatPosition(next)}"}\n`
  return { body, isEmpty: messages.length === 0 && formatPosition(next) === to, hasGap: lost !== undefined }
}

/** `GET /slotwire/events`. */
export function addStreamRoute(routes: Service['routes'], streams: EventStreams): void {
  routes.addOwn('events', (request, response, { caller }) => streams.answer(request, response, caller))
}
