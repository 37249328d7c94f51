import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { type Gap, isGap, type JournalRecord } from '@slotwire/client'

/** Most records in memory; older ones are in the history of the device. */
export const MAX_RECORDS = 1000
/** Records that come within this time are shown together, in milliseconds. */
const SHOWN_TOGETHER_MS = 100

/** The newest records of the journal, oldest first. A loss is an entry of the kind `gap`. */
export class Records {
  /** The same, after what the history had of the time before. */
  readonly recent: ReadonlySignal<readonly (JournalRecord | Gap)[]> = computed(() => {
    const live = new Set(this.#list.value.map((entry) => isGap(entry) || entry['id']))
    return [...this.#past.value.filter(({ id }) => !live.has(id as string)), ...this.#list.value]
  })
  readonly #past = signal<readonly JournalRecord[]>([])
  readonly #list = signal<readonly (JournalRecord | Gap)[]>([])
  readonly list: ReadonlySignal<readonly (JournalRecord | Gap)[]> = this.#list
  #waiting: (JournalRecord | Gap)[] = []

  /** `after`: runs a function later. */
  constructor(private readonly after: (delayMs: number, run: () => void) => void) {}

  /** What the history has, oldest first. */
  addPast(records: readonly JournalRecord[]): void {
    this.#past.value = records
  }

  add(entry: JournalRecord | Gap): void {
    if (this.#waiting.length === 0) this.after(SHOWN_TOGETHER_MS, () => this.#show())
    this.#waiting.push(entry)
    if (this.#waiting.length > MAX_RECORDS) this.#waiting.shift()
  }

  #show(): void {
    this.#list.value = [...this.#list.peek(), ...this.#waiting].slice(-MAX_RECORDS)
    this.#waiting = []
  }
}
