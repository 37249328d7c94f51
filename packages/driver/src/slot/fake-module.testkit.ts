import { type Clock, LinkError, type LinkFailure, type ModuleDescriptor, type SlotLink } from '@slotwire/core'
import * as sdbp from '@slotwire/sdbp'
import { type AnyCommand, commandClass, commandCodeOf, encodeResponse, type ResponseOf, u16 } from '@slotwire/sdbp'
import { commandsIn } from '../../../sdbp/src/hex.testkit.ts'

const value = commandClass({ classIdentifier: 3, class: 1, statuses: { invalidMode: 3 } })
/** Commands of a module type that exists only in these tests. */
export const getValue = value.command('GET_VALUE', 2, { response: { value: u16() } })
export const getOther = value.command('GET_OTHER', 3, { response: { value: u16() } })
export const setValue = value.command('SET_VALUE', 4, { request: { value: u16() } })
export const shutDown = value.command('SHUT_DOWN', 5, {}, { repeatable: false })

export const RELAY = 'example.org/relay'

export const relayDescriptor: ModuleDescriptor = {
  vendorProductId: RELAY,
  productName: 'relay',
  vendorName: 'Example',
  serialCode: '0000-0000-0000-0000-0000-0000-0000-0001',
  firmware: { stability: 'S', version: { major: 1, minor: 2, patch: 3 } },
  hardwareVersion: { major: 1, minor: 0, patch: 0 },
  protocolVersion: { major: 1, minor: 0, patch: 0 },
  bootloaderState: 'supported',
  maxFrameSize: 4096,
  maxPower12v: 0,
  maxPower5v0: 0,
  maxPower3v3: 100,
  maxSclkSpeedKhz: 16_000,
}

const commands: readonly AnyCommand[] = [...commandsIn(sdbp), getValue, getOther, setValue, shutDown]

function commandOf(payload: Uint8Array): AnyCommand {
  const code = commandCodeOf(payload)
  const found = commands.find(
    (command) =>
      command.classIdentifier === code.classIdentifier && command.class === code.class && command.operation === code.operation,
  )
  if (found === undefined) throw new Error(`unknown command ${code.classIdentifier}/${code.class}/${code.operation}`)
  return found
}

export interface Sent {
  readonly name: string
  readonly payload: Uint8Array
  readonly atMs: number
}

type Answer = () => Uint8Array | Promise<Uint8Array>

/** One link and its module: answers everything in order, unless a test makes it fail. */
export class FakeModule implements SlotLink {
  /** Only where a test gives it. */
  repeat?: NonNullable<SlotLink['repeat']>
  /** Every operation frame, in order. */
  readonly sent: Sent[] = []
  /** Duration of an exchange; with 0 it answers at once. */
  exchangeMs = 0
  closed = 0
  /** Most exchanges at one time: more than 1 is a fault of the driver. */
  mostAtOnce = 0
  firmwareMajor = 1
  #running = 0
  #answers: { readonly name: string | undefined; readonly answer: Answer; left: number }[] = []
  #listener: (payload: Uint8Array) => void = () => undefined
  #reading = 0

  constructor(
    private readonly clock: Clock,
    readonly slot = 3,
  ) {}

  /** Names of the operations sent, by default without heartbeats. */
  names(options: { heartbeats?: boolean } = {}): string[] {
    const names = this.sent.map((frame) => frame.name)
    return options.heartbeats === true ? names : names.filter((name) => name !== 'MODE_RUN')
  }

  count(name: string): number {
    return this.sent.filter((frame) => frame.name === name).length
  }

  /** The next `times` exchanges (of the command `name`) get this instead of an answer. */
  misbehave(answer: Answer, options: { times?: number; name?: string } = {}): void {
    this.#answers.push({ name: options.name, answer, left: options.times ?? 1 })
  }

  fail(failure: LinkFailure, options: { times?: number; name?: string } = {}): void {
    this.misbehave(() => Promise.reject(new LinkError(failure, `made to fail: ${failure}`)), options)
  }

  /** From now on nothing is answered, and no exchange ends. */
  hang(): void {
    this.misbehave(() => new Promise(() => undefined), { times: Number.POSITIVE_INFINITY })
  }

  recover(): void {
    this.#answers = []
  }

  notify(...bytes: number[]): void {
    this.#listener(Uint8Array.of(1, 6, 2, 0, ...bytes))
  }

  raw(payload: Uint8Array): void {
    this.#listener(payload)
  }

  async exchange(payload: Uint8Array): Promise<Uint8Array> {
    const command = commandOf(payload)
    this.sent.push({ name: command.name, payload, atMs: this.clock.now() })
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#running)
    try {
      if (this.exchangeMs > 0) await this.clock.sleep(this.exchangeMs)
      const wrong = this.#answers.find((entry) => entry.left > 0 && (entry.name ?? command.name) === command.name)
      if (wrong === undefined) return this.#answer(command)
      wrong.left--
      return await wrong.answer()
    } finally {
      this.#running--
    }
  }

  onNotification(listener: (payload: Uint8Array) => void): void {
    this.#listener = listener
  }

  close(): Promise<void> {
    this.closed++
    return Promise.resolve()
  }

  /** Values count up, so that each transaction has a different one. */
  #answer(command: AnyCommand): Uint8Array {
    const version: ResponseOf<typeof sdbp.getFirmwareVersion> = { stability: 'S', major: this.firmwareMajor, minor: 2, patch: 3 }
    if (command.name === 'FW_VERSION') return encodeResponse(command, version)
    if (command.name.startsWith('GET_')) return encodeResponse(command, { value: ++this.#reading })
    return encodeResponse(command, {})
  }
}
