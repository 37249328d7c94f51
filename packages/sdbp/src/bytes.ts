import { SdbpError } from './errors.ts'

/** Collects big-endian bytes. */
export class ByteWriter {
  readonly #bytes: number[] = []

  /** Writes `value`, which must fit, as an unsigned big-endian number of `size` bytes. */
  unsigned(value: number, size: number): void {
    for (let place = size - 1; place >= 0; place--) this.#bytes.push(Math.floor(value / 256 ** place) % 256)
  }

  bytes(data: Uint8Array): void {
    for (const byte of data) this.#bytes.push(byte)
  }

  /** A copy of what has been written. */
  finish(): Uint8Array {
    return Uint8Array.from(this.#bytes)
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
