import type { JournalRecord, RecordPlace } from './record.ts'

/** Most records in memory, and most characters of their JSON. */
export const ringLimits = { records: 10_000, characters: 4_194_304 }

interface Kept {
  readonly sequence: number
  readonly record: JournalRecord
  readonly characters: number
}

/** Records of one kind, place and service that were dropped. */
export interface Dropped {
  readonly place: RecordPlace
  count: number
  /** Sequence of the last of them. */
  last: number
}

/** The newest records, in order. Each of its operations takes the same time, however many there are. */
export class Ring {
  readonly #limits: typeof ringLimits
  readonly #kept: (Kept | undefined)[] = []
  readonly #dropped = new Map<string, Dropped>()
  #first = 0
  #size = 0
  #characters = 0
  #floor = 0

  constructor(limits = ringLimits) {
    this.#limits = limits
  }

  /** Sequence of the last record that was dropped; 0: none. */
  get floor(): number {
    return this.#floor
  }

  /** What was dropped. There are as many as combinations of kind, slots and service. */
  get dropped(): Iterable<Dropped> {
    return this.#dropped.values()
  }

  /** `sequence` is greater than all before. */
  push(sequence: number, record: JournalRecord): void {
    const { records, characters: most } = this.#limits
    const characters = JSON.stringify(record).length
    while (this.#size > 0 && (this.#size >= records || this.#characters + characters > most)) this.#drop()
    this.#kept[(this.#first + this.#size++) % records] = { sequence, record, characters }
    this.#characters += characters
  }

  /** The records after one sequence up to another, in order. */
  *between(after: number, last: number): Generator<{ readonly sequence: number; readonly record: JournalRecord }> {
    for (let index = this.#indexAfter(after); index < this.#size; index++) {
      const kept = this.#at(index)
      if (kept === undefined || kept.sequence > last) return
      yield kept
    }
  }

  #at(index: number): Kept | undefined {
    return this.#kept[(this.#first + index) % this.#limits.records]
  }

  #indexAfter(sequence: number): number {
    let [low, high] = [0, this.#size]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#at(middle)?.sequence ?? 0) > sequence) high = middle
      else low = middle + 1
    }
    return low
  }

  #drop(): void {
    const kept = this.#at(0)
    this.#kept[this.#first] = undefined
    this.#first = (this.#first + 1) % this.#limits.records
    this.#size--
    if (kept === undefined) return
    this.#characters -= kept.characters
    this.#floor = kept.sequence
    const { kind, slot, service, modules } = kept.record
    const key = `${kind} ${slot} ${service} ${modules?.map((module) => module.slot).join() ?? ''}`
    const dropped = this.#dropped.get(key) ?? { place: { kind, slot, service, modules }, count: 0, last: 0 }
    dropped.count++
    dropped.last = kept.sequence
    this.#dropped.set(key, dropped)
  }
}
