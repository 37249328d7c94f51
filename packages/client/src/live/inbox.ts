import { asError } from '../client-error.ts'

/** Records that a reader did not get, because it was too slow or the device had lost them. `missing` is undefined if it is not known. */
export interface Gap {
  readonly kind: 'gap'
  readonly missing: number | undefined
}

/** Most entries that wait for a slow reader; what comes then is counted in a gap. */
const MAX_WAITING = 1000

/** What one reader has not taken yet: an async iterable, to be read once. Leaving the loop ends it. */
export class Inbox<Item> implements AsyncIterableIterator<Item | Gap> {
  /** Resolves when the device delivers: what happens from then on arrives here. */
  readonly ready: Promise<void>
  readonly #waiting: (Item | Gap)[] = []
  readonly #takers: { resolve: (result: IteratorResult<Item | Gap>) => void; reject: (error: unknown) => void }[] = []
  #setReady: (() => void) | undefined
  #onEnd: (() => void) | undefined
  #isEnded = false
  #failure: { readonly error: unknown } | undefined

  constructor() {
    this.ready = new Promise((resolve) => {
      this.#setReady = resolve
    })
  }

  /** Of the source: what to do when the reader leaves, or it ends. */
  begin(onEnd: () => void): this {
    this.#onEnd = onEnd
    return this
  }

  markReady(): void {
    this.#setReady?.()
  }

  push(item: Item | Gap): void {
    if (this.#isEnded) return
    const taker = this.#takers.shift()
    if (taker !== undefined) taker.resolve({ done: false, value: item })
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(item)
    else this.#drop(item)
  }

  /** Counts in the last entry, which is a gap from then on. */
  #drop(item: Item | Gap): void {
    const last = this.#waiting.at(-1)
    const before = isGap(last) ? last.missing : 1
    const more = isGap(item) ? item.missing : 1
    const missing = before === undefined || more === undefined ? undefined : before + more
    this.#waiting[this.#waiting.length - 1] = { kind: 'gap', missing }
  }

  /** No more entries: what waits can still be taken, then `error` if there is one. */
  end(error?: unknown): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.markReady()
    const [first, ...others] = this.#takers.splice(0)
    if (error === undefined) first?.resolve({ done: true, value: undefined })
    else if (first === undefined) this.#failure = { error }
    else first.reject(error)
    for (const taker of others) taker.resolve({ done: true, value: undefined })
    this.#onEnd?.()
  }

  next(): Promise<IteratorResult<Item | Gap>> {
    const item = this.#waiting.shift()
    if (item !== undefined) return Promise.resolve({ done: false, value: item })
    if (this.#failure !== undefined) {
      const { error } = this.#failure
      this.#failure = undefined
      return Promise.reject(asError(error))
    }
    if (this.#isEnded) return Promise.resolve({ done: true, value: undefined })
    return new Promise((resolve, reject) => this.#takers.push({ resolve, reject }))
  }

  return(): Promise<IteratorResult<Item | Gap>> {
    this.#waiting.length = 0
    this.end()
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

export function isGap(entry: unknown): entry is Gap {
  return typeof entry === 'object' && entry !== null && 'kind' in entry && entry.kind === 'gap'
}
