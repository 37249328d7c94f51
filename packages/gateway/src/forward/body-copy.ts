/** A body that passes by, kept for the record as long as it is small. */
export class BodyCopy {
  readonly #limit: number
  #chunks: Buffer[] = []
  #size = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  add(chunk: Buffer): void {
    this.#size += chunk.length
    if (this.#size > this.#limit) this.#chunks = []
    else this.#chunks.push(chunk)
  }

  /** The value of the JSON text; undefined for what was none, or too large. */
  value(): unknown {
    if (this.#size === 0 || this.#size > this.#limit) return undefined
    try {
      return JSON.parse(Buffer.concat(this.#chunks).toString('utf8'))
    } catch {
      return undefined
    }
  }
}
