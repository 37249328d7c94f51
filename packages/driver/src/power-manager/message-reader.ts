import { LENGTH_BYTES, LONGEST_MESSAGE, MessageError } from './messages.ts'

/** Splits a stream of bytes into message bodies. Never keeps more than one message and what came with it. */
export class MessageReader {
  #bytes: Buffer = Buffer.alloc(0)

  /** The bodies that are complete now. Throws `MessageError` for a length that is not allowed. */
  push(chunk: Uint8Array): readonly Buffer[] {
    this.#bytes = Buffer.concat([this.#bytes, chunk])
    const bodies: Buffer[] = []
    for (let body = this.#next(); body !== undefined; body = this.#next()) bodies.push(body)
    return bodies
  }

  /** How much of the next message has come, as text. */
  get received(): string {
    const count = this.#bytes.length
    if (count === 0) return 'nothing came'
    if (count < LENGTH_BYTES) return `${count} of the ${LENGTH_BYTES} bytes of a length came`
    return `${count - LENGTH_BYTES} of ${this.#bytes.readUInt32LE()} bytes came`
  }

  #next(): Buffer | undefined {
    if (this.#bytes.length < LENGTH_BYTES) return undefined
    const length = this.#bytes.readUInt32LE()
    if (length > LONGEST_MESSAGE)
      throw new MessageError(`it announces ${length} bytes, and at most ${LONGEST_MESSAGE} are allowed`)
    const end = LENGTH_BYTES + length
    if (this.#bytes.length < end) return undefined
    const body = this.#bytes.subarray(LENGTH_BYTES, end)
    this.#bytes = this.#bytes.subarray(end)
    return body
  }
}
