import { type ReadonlySignal, signal, useComputed } from '@preact/signals'
import { ClientError, type WatchUpdate } from '@slotwire/client'
import type { DeviceStore } from '../store/device-store.ts'
import { SharedReading } from '../store/readings.ts'
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
    return new SharedReading<Value>((everyMs, end) => this.#reads<Value>(path, everyMs, end), clock, link, now)
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

  async *#reads<Value>(path: string, everyMs: number, end: AbortSignal): AsyncGenerator<WatchUpdate<Value>> {
    const { device, clock, sent } = this.store
    let changed = new AbortController()
    // Again at once whenever this page changed something.
    const stop = sent.list.subscribe(() => changed.abort())
    try {
      while (!end.aborted && !device.context.http.closed) {
        changed = new AbortController()
        try {
          if (!document.hidden) yield { kind: 'value', value: (await device.extension(path, { signal: end })) as Value }
        } catch (error) {
          if (error instanceof ClientError) yield { kind: 'error', error }
        }
        await clock.sleep(everyMs, AbortSignal.any([end, changed.signal])).catch(() => undefined)
      }
    } finally {
      stop()
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
