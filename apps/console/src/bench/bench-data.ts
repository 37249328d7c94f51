import { type ReadonlySignal, signal, useComputed } from '@preact/signals'
import { ClientError } from '@slotwire/client'
import type { DeviceStore } from '../store/device-store.ts'
import { type FollowRead, SharedReading } from '../store/readings.ts'
import { useStore } from '../store/use-store.ts'
import { plainWrite, type Write } from '../store/write.ts'
import { BENCH, type BenchApi, filledFields, type Operation, readBenchApi, type Values } from './api-document.ts'
import type { Bench } from './bench-types.ts'

/** The whole bench is read so often while its page is open, in milliseconds. */
const OVERVIEW_MS = 500

/** The bench of the device, read while its page is open. The bench has no events, so its reads are repeated. */
export class BenchData {
  readonly overview: SharedReading<Bench>
  readonly #api = signal<BenchApi>([])
  /** Empty until it is read. */
  readonly api: ReadonlySignal<BenchApi> = this.#api

  constructor(private readonly store: DeviceStore) {
    this.overview = this.reading<Bench>(BENCH)
  }

  /** Reads until the returned function is called. */
  use(): () => void {
    void this.#readApi()
    return this.overview.use(OVERVIEW_MS)
  }

  /** A read of the bench, repeated while it is used. */
  reading<Value>(path: string): SharedReading<Value> {
    const { clock, link, now } = this.store
    return new SharedReading<Value>(this.#follow<Value>(path), clock, link.state, now)
  }

  /** An operation by its path below the bench, and its kind; undefined while the API document is not read, or if there is no such one. */
  operation(path: string, kind?: string): Operation | undefined {
    return this.#api.value.find((each) => each.path === BENCH + path && (kind === undefined || each.name === kind))
  }

  /** The write of `operation`, undefined like that. */
  write(path: string, values: Values = {}): Write | undefined {
    const operation = this.operation(path)
    return operation && this.writeOf(operation, values)
  }

  writeOf(operation: Operation, values: Values): Write {
    const request = { method: 'POST', path: operation.path }
    if (operation.body === undefined) return plainWrite(this.store, request)
    const body = operation.bodyOf(filledFields(values))
    return plainWrite(this.store, { ...request, body }, operation.check(body))
  }

  async #readApi(): Promise<void> {
    if (this.#api.peek().length > 0) return
    const document = await this.store.device.extension(`${BENCH}/openapi.json`).catch(() => undefined)
    if (document !== undefined) this.#api.value = readBenchApi(document)
  }

  #follow<Value>(path: string): FollowRead<Value> {
    const { device, clock, sent } = this.store
    return (everyMs, listener) => {
      const end = new AbortController()
      let timer: { cancel(): void } | undefined
      const read = async (): Promise<void> => {
        try {
          if (!document.hidden) {
            const value = (await device.extension(path, { signal: end.signal })) as Value
            if (!end.signal.aborted) listener({ kind: 'value', value })
          }
        } catch (error) {
          if (!end.signal.aborted && error instanceof ClientError) listener({ kind: 'error', error })
        }
        timer?.cancel()
        if (!end.signal.aborted && !device.context.http.closed) timer = clock.after(everyMs, () => void read())
      }
      // Now, and whenever this page changed something.
      const stop = sent.list.subscribe(() => void read())
      return () => {
        stop()
        timer?.cancel()
        end.abort()
      }
    }
  }
}

/** The bench. */
export function useBench(): BenchData {
  const store = useStore()
  return store.kept('bench', () => new BenchData(store))
}

/** A part of the bench; a component that calls it is rendered again only when the part changes. `pick` must not depend on anything else. */
export function useBenchPart<Part>(pick: (bench: Bench) => Part): Part | undefined {
  const { overview } = useBench()
  const text = useComputed(() => {
    const { value } = overview.shown.value
    return value === undefined ? undefined : JSON.stringify(pick(value))
  }).value
  return text === undefined ? undefined : (JSON.parse(text) as Part)
}
