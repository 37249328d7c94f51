import { connect, type Socket } from 'node:net'
import { expect } from 'vitest'
import { framed } from './power-peer.testkit.ts'

/** The messages of a driver, written by hand. */
export function request(slot: number, power12v = 6000): Buffer {
  return framed(
    `{"protocol_version":"1.0.0","msg_type":"request","slot_number":${slot},"max_power_3v3":300,"max_power_5v0":1200,"max_power_12v":${power12v}}`,
  )
}
export const ACTION_DONE = framed('{"protocol_version":"1.0.0","msg_type":"request","action_done":true}')
export const GIVEN_BACK = framed('{"protocol_version":"1.0.0","msg_type":"request","action_done":false}')

/** A raw socket in place of a driver. */
export class RawDriver {
  readonly #socket: Socket
  #bytes = Buffer.alloc(0)
  closed = false

  constructor(path: string, ...messages: readonly Uint8Array[]) {
    this.#socket = connect(path)
    this.#socket.on('error', () => undefined)
    this.#socket.on('close', () => {
      this.closed = true
    })
    this.#socket.on('data', (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk])
    })
    for (const message of messages) this.#socket.write(message)
  }

  write(bytes: Uint8Array): void {
    this.#socket.write(bytes)
  }

  /** Ends its side of the connection and still receives. */
  endWriting(): void {
    this.#socket.end()
  }

  /** Closes the connection at once. */
  disconnect(): void {
    this.#socket.destroy()
  }

  /** All received messages as text. */
  get messages(): readonly string[] {
    const found: string[] = []
    for (let at = 0; at < this.#bytes.length; ) {
      const length = this.#bytes.readUInt32LE(at)
      found.push(this.#bytes.subarray(at + 4, at + 4 + length).toString())
      at += 4 + length
    }
    return found
  }

  /** Waits for the message with this number, counted from 0. */
  async message(index = 0): Promise<string> {
    await expect.poll(() => this.messages.length, { timeout: 5000, interval: 1 }).toBeGreaterThan(index)
    return String(this.messages[index])
  }

  async isClosed(): Promise<void> {
    await expect.poll(() => this.closed, { timeout: 5000, interval: 1 }).toBe(true)
  }
}
