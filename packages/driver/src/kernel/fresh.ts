/** Something that is read anew for whoever asks, at most once at a time: all who ask while that goes on share the next reading. */
export class Fresh<Result> {
  readonly #read: () => Promise<Result>
  #current: Promise<Result> | undefined
  #next: Promise<Result> | undefined

  constructor(read: () => Promise<Result>) {
    this.#read = read
  }

  /** What is read from now on, never before. */
  get(): Promise<Result> {
    if (this.#current === undefined) {
      this.#current = this.#read().finally(() => {
        this.#current = undefined
      })
      return this.#current
    }
    const afterwards = (): Promise<Result> => {
      this.#next = undefined
      return this.get()
    }
    this.#next ??= this.#current.then(afterwards, afterwards)
    return this.#next
  }
}
