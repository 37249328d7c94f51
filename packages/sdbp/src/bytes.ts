import { SdbpError } from './errors.ts'

/** Collects big-endian bytes. */
export class ByteWriter {
  readonly #bytes: number[] = []

  /** `value` as an unsigned big-endian number of `size` bytes. */
  unsigned(value: number, size: number): void {
    for (let shift = size - 1; shift >= 0; shift--) this.#bytes.push(Math.floor(value / 256 ** shift) % 256)
  }

  bytes(data: Uint8Array): void {
    for (const byte of data) this.#bytes.push(byte)
  }

  finish(): Uint8Array {
    return Uint8Array.from(this.#bytes)
  }
}

/** Walks over big-endian bytes; reading past the end throws `truncated`. */
export class ByteReader {
  readonly #data: Uint8Array
  #offset: number

  constructor(data: Uint8Array, offset = 0) {
    this.#data = data
    this.#offset = offset
  }

  get left(): number {
    return this.#data.length - this.#offset
  }

  unsigned(size: number): number {
    let value = 0
    for (const byte of this.bytes(size)) value = value * 256 + byte
    return value
  }

  bytes(size: number): Uint8Array {
    if (this.left < size) throw new SdbpError('truncated', `${size} bytes expected at offset ${this.#offset}, ${this.left} left`)
    const part = this.#data.subarray(this.#offset, this.#offset + size)
    this.#offset += size
    return part
  }

  rest(): Uint8Array {
    return this.bytes(this.left)
  }
}
