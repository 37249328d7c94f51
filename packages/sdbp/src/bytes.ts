import { SdbpError } from './errors.ts'

/** Enough for a frame of the default size; longer payloads grow. */
const INITIAL_SIZE = 64

/** Collects big-endian bytes. */
export class ByteWriter {
  #bytes = new Uint8Array(INITIAL_SIZE)
  #size = 0

  /** Writes `value`, which must fit, as an unsigned big-endian number of `size` bytes. */
  unsigned(value: number, size: number): void {
    const start = this.#claim(size)
    let left = value
    for (let index = start + size - 1; index >= start; index--) {
      this.#bytes[index] = left & 0xff
      left = Math.floor(left / 256)
    }
  }

  bytes(data: Uint8Array): void {
    const start = this.#claim(data.length)
    this.#bytes.set(data, start)
  }

  /** A copy of what has been written. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#size)
  }

  #claim(size: number): number {
    const start = this.#size
    this.#size += size
    if (this.#size > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#size, this.#bytes.length * 2))
      grown.set(this.#bytes)
      this.#bytes = grown
    }
    return start
  }
}

/** Reads big-endian bytes in order; reading past the end throws `truncated`. */
export class ByteReader {
  constructor(
    private readonly data: Uint8Array,
    private offset = 0,
  ) {}

  get left(): number {
    return Math.max(0, this.data.length - this.offset)
  }

  unsigned(size: number): number {
    const end = this.#claim(size)
    let value = 0
    for (let index = end - size; index < end; index++) value = value * 256 + (this.data[index] as number)
    return value
  }

  bytes(size: number): Uint8Array {
    const end = this.#claim(size)
    return this.data.subarray(end - size, end)
  }

  rest(): Uint8Array {
    return this.bytes(this.left)
  }

  #claim(size: number): number {
    if (this.left < size) throw new SdbpError('truncated', `${size} bytes expected at offset ${this.offset}, ${this.left} left`)
    this.offset += size
    return this.offset
  }
}
