import { effect, type ReadonlySignal, signal } from '@preact/signals'
import { ClientError } from '@slotwire/client'
import type { DeviceStore } from '../store/device-store.ts'
import { type Follow, SharedReading } from '../store/readings.ts'
import { plainWrite, type Write } from '../store/write.ts'
import { BENCH, type BenchApi, given, type Operation, pathWith, readBenchApi, type Values } from './api-document.ts'
import type { Bench, Connection, Measured } from './bench-types.ts'

/** The whole bench is read so often while its page is open, in milliseconds. */
const OVERVIEW_MS = 500
/** A pin whose course is drawn, in milliseconds. */
export const PIN_MS = 100
/** Pins whose measurements are remembered. */
const MOST_PINS = 16

/** The bench of the device, read while its page is open. The bench has no events, so its reads are repeated. */
export class BenchData {
  readonly overview: SharedReading<Bench>
  readonly api: ReadonlySignal<BenchApi | undefined>
  /** Every connection that this page has seen, by number: numbers are not used again. For a scenario. */
  readonly seen = new Map<number, Connection>()
  readonly #api = signal<BenchApi | undefined>(undefined)
  readonly #pins = new Map<string, SharedReading<Measured>>()
  readonly #store: DeviceStore
  /** Ends the pauses between reads. */
  readonly #waiting = new Set<() => void>()

  constructor(store: DeviceStore) {
    this.#store = store
    this.api = this.#api
    this.overview = this.#reading<Bench>(BENCH)
  }

  /** Reads until the returned function is called. */
  use(): () => void {
    void this.#readApi()
    const end = this.overview.use(OVERVIEW_MS)
    const keep = effect(() => {
      for (const each of this.overview.shown.value.value?.connections ?? []) this.seen.set(each.connection, each)
    })
    const refresh = effect(() => {
      if (this.#store.sent.list.value.length > 0) this.refresh()
    })
    return () => {
      end()
      keep()
      refresh()
    }
  }

  /** Reads at once: something was changed. */
  refresh(): void {
    for (const wake of this.#waiting) wake()
  }

  pin(place: string): SharedReading<Measured> {
    const known = this.#pins.get(place)
    if (known !== undefined) return known
    if (this.#pins.size >= MOST_PINS) for (const [other, { isUsed }] of this.#pins) if (!isUsed) this.#pins.delete(other)
    const made = this.#reading<Measured>(`${BENCH}/pin/${place}`)
    this.#pins.set(place, made)
    return made
  }

  /** The write of an operation; undefined while the API document is not read, or if the bench has no such operation. */
  write(path: string, numbers: Readonly<Record<string, number>> = {}, values: Values = {}): Write | undefined {
    const operation = this.#api.value?.operations.get(BENCH + path)
    return operation && this.writeOf(operation, numbers, values)
  }

  writeOf(operation: Operation, numbers: Readonly<Record<string, number>>, values: Values): Write {
    const body = given(values)
    const request = { method: 'POST', path: pathWith(operation, numbers) }
    if (operation.body === undefined) return plainWrite(this.#store, request)
    return plainWrite(this.#store, { ...request, body }, operation.check(body))
  }

  async #readApi(): Promise<void> {
    if (this.#api.peek() !== undefined) return
    const document = await this.#store.device.extension(`${BENCH}/openapi.json`).catch(() => undefined)
    if (document !== undefined) this.#api.value = readBenchApi(document)
  }

  #reading<Value>(path: string): SharedReading<Value> {
    const { clock, link, now } = this.#store
    return new SharedReading<Value>(this.#follow<Value>(path), clock, link.state, now)
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        timer.cancel()
        this.#waiting.delete(wake)
        resolve()
      }
      const timer = this.#store.clock.after(ms, wake)
      this.#waiting.add(wake)
    })
  }

  #follow<Value>(path: string): Follow<Value> {
    const { device } = this.#store
    return (everyMs, listener) => {
      const end = new AbortController()
      const run = async (): Promise<void> => {
        while (!end.signal.aborted && !device.context.connection.closed) {
          try {
            if (!document.hidden) {
              const value = (await device.extension(path, { signal: end.signal })) as Value
              if (!end.signal.aborted) listener({ kind: 'value', value })
            }
          } catch (error) {
            if (!end.signal.aborted && error instanceof ClientError) listener({ kind: 'error', error })
          }
          await this.#pause(everyMs)
        }
      }
      void run()
      return () => end.abort()
    }
  }
}
