import { type ReadonlySignal, signal } from '@preact/signals'
import { isGap, type JournalRecord } from '@slotwire/client'
import { extensionPaths, isBefore, type Position, parsePosition } from '@slotwire/contract'
import type { DeviceStore } from '../store/device-store.ts'
import { reasonOf } from '../store/reason.ts'
import { fits, type JournalEntry, type JournalFilter } from './journal.ts'

/** Records of a page of the history. */
const PAGE = 200
/** Most earlier records in the page. */
const MAX_RECORDS = 2000
/** So many numbers before the oldest record a page of the history begins; then at the beginning of the history. */
const SPANS = [1000, 20_000]
const MEMORY_SPAN = 1000

/** What was before the records that arrived by the stream: first from the memory of the service, then page by page from its history. */
export class Earlier {
  readonly #entries = signal<readonly JournalEntry[]>([])
  /** Oldest first. */
  readonly entries: ReadonlySignal<readonly JournalEntry[]> = this.#entries
  readonly #state = signal<'loading' | 'ready' | 'end'>('ready')
  readonly state: ReadonlySignal<'loading' | 'ready' | 'end'> = this.#state
  readonly #problem = signal<string | undefined>(undefined)
  readonly problem: ReadonlySignal<string | undefined> = this.#problem
  readonly #end = new AbortController()
  #oldest: string | undefined
  #until: string | undefined

  constructor(
    private readonly store: Pick<DeviceStore, 'device' | 'records'>,
    private readonly filter: JournalFilter,
  ) {}

  /** Id of the record that comes next by the stream; undefined until the memory is read. */
  get until(): string | undefined {
    return this.#until
  }

  /** Loads one page more. */
  async more(): Promise<void> {
    if (this.#state.peek() !== 'ready') return
    this.#state.value = 'loading'
    this.#problem.value = undefined
    try {
      const older = this.#oldest === undefined ? await this.#memory() : await this.#history(this.#oldest)
      const all = [...older, ...this.#entries.peek()]
      this.#entries.value = all.slice(-MAX_RECORDS)
      this.#state.value = all.length > MAX_RECORDS ? 'end' : this.#state.peek() === 'loading' ? 'ready' : this.#state.peek()
    } catch (error) {
      if (!this.#end.signal.aborted) this.#problem.value = reasonOf(error)
      this.#state.value = 'ready'
    }
  }

  close(): void {
    this.#end.abort()
  }

  /** The newest records of all kinds, as the service has them in memory. */
  async #memory(): Promise<readonly JournalEntry[]> {
    const { device, records } = this.store
    const { last } = await device.state({ signal: this.#end.signal })
    const first = records.list.peek().find((entry) => !isGap(entry)) as JournalRecord | undefined
    const end = positionOf(last)
    const before = idOf(first) ?? `${end.boot}-${end.sequence + 1}`
    this.#until = before
    const { boot, sequence } = positionOf(before)
    const older: JournalRecord[] = []
    for (let next = `${boot}-${Math.max(0, sequence - MEMORY_SPAN)}`; isBefore(next, before); ) {
      const path = `${extensionPaths.events}?wait=0s&after=${next}`
      const page = (await device.extension(path, { signal: this.#end.signal })) as Page
      const news = page.messages.filter(({ id }) => id !== undefined && isBefore(id, before))
      older.push(...news)
      if (news.length === 0 || page.next === next) break
      next = page.next
    }
    this.#oldest = idOf(older[0]) ?? before
    return older.filter((record) => fits(record, this.filter))
  }

  /** The newest kept records before the oldest one. */
  async #history(before: string): Promise<readonly JournalEntry[]> {
    const { boot, sequence } = positionOf(before)
    const { slot } = this.filter
    const { signal: end } = this.#end
    const starts = SPANS.filter((span) => span < sequence).map((span) => `${boot}-${sequence - span}`)
    for (const since of [...starts, undefined]) {
      const records: JournalRecord[] = []
      for await (const record of this.store.device.history({
        since,
        slots: slot === undefined ? undefined : [slot],
        count: 1000,
        signal: end,
      })) {
        if (!isBefore(record['id'], before)) break
        if (fits(record, this.filter)) records.push(record)
        if (records.length > PAGE) records.shift()
      }
      if (records.length < PAGE && since !== undefined) continue
      if (records.length < PAGE) this.#state.value = 'end'
      this.#oldest = idOf(records[0]) ?? before
      return records
    }
    return []
  }
}

function idOf(record: JournalRecord | undefined): string | undefined {
  return typeof record?.['id'] === 'string' ? record['id'] : undefined
}

/** Answer of a poll that does not wait. */
interface Page {
  readonly messages: readonly JournalRecord[]
  readonly next: string
}

const positionOf = (id: unknown): Position => parsePosition(id) ?? { boot: 0, sequence: 0 }
