import type { ClientRequest } from 'node:http'
import { extensionPaths } from '@slotwire/contract'
import { type Clock, EventParser, type Log, type Random, type StreamMessage, type Timer } from '@slotwire/core'
import { openGet } from './upstream-get.ts'

/** Longest silence of a service: it sends something every 15 s. */
const SILENCE_MS = 35_000
/** Wait before the next attempt: it doubles from the first to the last, and half of it is random. */
const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 10_000

export interface UpstreamStreamOptions {
  /** Name of the service. */
  readonly service: string
  /** Its address: `http://127.0.0.1:8002`. */
  readonly address: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly onMessage: (message: StreamMessage) => void
  /** Called with true when the stream begins, and with false when it ends or cannot be opened. */
  readonly onFollowed: (isFollowed: boolean) => void
}

/** Follows the events of a service in another process, and continues where it was after each interruption. */
export class UpstreamStream {
  readonly #options: UpstreamStreamOptions
  #request: ClientRequest | undefined
  #timer: Timer | undefined
  #lastId = ''
  #failures = 0
  #closed = false

  constructor(options: UpstreamStreamOptions) {
    this.#options = options
    this.#connect()
  }

  close(): void {
    this.#closed = true
    this.#timer?.cancel()
    this.#request?.destroy()
  }

  #connect(): void {
    const { address, onMessage, onFollowed } = this.#options
    const parser = new EventParser(onMessage)
    const headers = { accept: 'text/event-stream', ...(this.#lastId === '' ? {} : { 'last-event-id': this.#lastId }) }
    const request = openGet(address, extensionPaths.events, headers, (response) => {
      if (response.statusCode !== 200) {
        request.destroy(new Error(`it answered with ${response.statusCode}`))
        return
      }
      onFollowed(true)
      response.setEncoding('utf8').on('data', (part: string) => {
        this.#watch(request)
        try {
          parser.add(part)
        } catch (error) {
          request.destroy(error as Error)
        }
        if (parser.lastId !== '') this.#noteSuccess(parser.lastId)
      })
      response.once('close', () => this.#fail(request, new Error('it ended the stream')))
      response.once('error', (error) => this.#fail(request, error))
    })
    request.on('error', (error) => this.#fail(request, error))
    this.#request = request
    this.#watch(request)
  }

  #watch(request: ClientRequest): void {
    this.#timer?.cancel()
    if (this.#closed) return
    this.#timer = this.#options.clock.after(SILENCE_MS, () => request.destroy(new Error('it is silent')))
  }

  #noteSuccess(id: string): void {
    const { service, log } = this.#options
    if (this.#failures > 0) log.info({ service }, 'the events of a service are followed again')
    this.#failures = 0
    this.#lastId = id
  }

  /** Logs only the first failure. */
  #fail(request: ClientRequest, err: Error): void {
    if (this.#closed || request !== this.#request) return
    const { service, clock, random, log, onFollowed } = this.#options
    onFollowed(false)
    if (this.#failures === 0) log.warn({ service, err }, 'the events of a service cannot be followed')
    this.#request = undefined
    request.destroy()
    this.#timer?.cancel()
    const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#failures++)
    this.#timer = clock.after((wait * (1 + random())) / 2, () => this.#connect())
  }
}
