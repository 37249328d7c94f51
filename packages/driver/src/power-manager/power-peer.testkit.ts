import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'

/** The messages of a power manager, written by hand. */
export const GRANTED =
  '{"protocol_version":"1.0.0","msg_type":"response","successful":true,"to_much_power_3v3":0,"to_much_power_5v0":0,"to_much_power_12v":0}'
export const NOTED = '{"protocol_version":"1.0.0","msg_type":"response","successful":true,"message":"noted"}'

/** A body with its length in front. */
export function framed(text: string, length = Buffer.byteLength(text)): Buffer {
  const bytes = Buffer.from(`\0\0\0\0${text}`)
  bytes.writeUInt32LE(length)
  return bytes
}

/** What a peer does when a message has come. */
export type Reaction = (socket: Socket) => void

export const answers =
  (text: string): Reaction =>
  (socket) =>
    socket.write(framed(text))

/** The ways in which a power manager can fail, each with the code and part of the message of the expected error. */
export const FAILING: readonly (readonly [how: string, reaction: Reaction, code: string, words: string])[] = [
  ['hangs', () => undefined, 'power-manager-hung', '(nothing came within 900 ms): check whether it hangs'],
  [
    'hangs after half a message',
    (socket) => socket.write(framed(GRANTED).subarray(0, 24)),
    'power-manager-hung',
    '(20 of 134 bytes came within 900 ms)',
  ],
  ['closes early', (socket) => socket.end(), 'power-manager-closed', '(nothing came): its log says why'],
  [
    'closes after half a message',
    (socket) => socket.end(framed(GRANTED).subarray(0, 24)),
    'power-manager-closed',
    '(20 of 134 bytes came)',
  ],
  [
    'closes after half a length',
    (socket) => socket.end(Buffer.of(9, 0)),
    'power-manager-closed',
    '(2 of the 4 bytes of a length',
  ],
  [
    'announces a huge length',
    (socket) => socket.write(framed(GRANTED, 0xffff_ffff)),
    'power-manager-answer-invalid',
    'announces 4294967295 bytes, and at most 4096',
  ],
  [
    'sends bad JSON',
    answers('{"successful":tru'),
    'power-manager-answer-invalid',
    '(it is not JSON): check that a power manager',
  ],
  ['sends no object', answers('[true]'), 'power-manager-answer-invalid', '(the message must be a JSON object)'],
  ['sends nothing in a message', answers(''), 'power-manager-answer-invalid', '(it is not JSON)'],
]

/** A raw socket in place of a power manager. The reaction to each message of a connection goes by its number. */
export class PowerPeer {
  readonly folder = temporaryFolder()
  readonly socket = join(this.folder, 'p.socket')
  /** All received chunks as text. */
  readonly received: string[] = []
  /** The open connections. */
  readonly open = new Set<Socket>()
  /** The reactions to the first and the second message of a connection. */
  reactions: readonly Reaction[] = [answers(GRANTED), answers(NOTED)]
  readonly #server: Server = createServer((socket) => {
    let count = 0
    this.open.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => this.open.delete(socket))
    socket.on('data', (chunk: Buffer) => {
      this.received.push(chunk.toString('latin1'))
      this.reactions[count++]?.(socket)
    })
  })

  async listen(): Promise<this> {
    this.#server.listen(this.socket)
    await once(this.#server, 'listening')
    return this
  }

  /** Stops listening and removes the socket. */
  async stop(): Promise<void> {
    for (const socket of this.open) socket.destroy()
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve))
  }
}
