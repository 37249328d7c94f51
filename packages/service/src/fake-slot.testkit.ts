import { coreErrors, type ModuleDescriptor } from '@slotwire/core'
import { type Exchange, type Job, PendingNotifications, type SlotApi, type SlotEvent, type WriteOptions } from '@slotwire/driver'
import { type Command, encodeRequest, ModuleRefusal } from '@slotwire/sdbp'

export const fakeDescriptor: ModuleDescriptor = {
  vendorProductId: 'example.com/toy',
  productName: 'Toy',
  vendorName: 'Example',
  serialCode: '0000-1111-2222-3333-4444-5555-6666-7777',
  firmware: { stability: 'S', version: { major: 1, minor: 2, patch: 3 } },
  hardwareVersion: { major: 2, minor: 0, patch: 0 },
  protocolVersion: { major: 1, minor: 1, patch: 0 },
  bootloaderState: 'supported',
  maxFrameSize: 64,
  maxPower12v: 12,
  maxPower5v0: 5,
  maxPower3v3: 300,
  maxSclkSpeedKhz: 20_000,
}

/** The status with which the scripted module refuses a command. */
export class Refused {
  constructor(readonly status: number) {}
}

type Script = (request: unknown) => unknown

/** A slot with a scripted module: a reply or `Refused` by command name. Concurrent reads are not combined. */
export class FakeSlot implements SlotApi {
  readonly protocolVersion = fakeDescriptor.protocolVersion
  session = 'A'.repeat(64)
  sessionEnds = false
  readonly notifications = new PendingNotifications()
  readonly sent: { readonly command: string; readonly request: unknown }[] = []
  readonly reads: { readonly key: string; readonly fresh: boolean }[] = []
  script: Readonly<Record<string, unknown>> = {}
  /** Every job waits for this before it starts. */
  gate: Promise<void> = Promise.resolve()
  /** Every job in spare time waits for this. */
  spare: Promise<void> = Promise.resolve()
  spareReads = 0
  resets = 0
  descriptorError: Error | undefined
  readonly #refusals = new Set<() => void>()
  readonly #listeners = new Set<(event: SlotEvent) => void>()

  constructor(
    readonly slot: number,
    readonly vendorProductId = fakeDescriptor.vendorProductId,
  ) {}

  readonly exchange: Exchange = async <Request, Response>(command: Command<Request, Response>, request: Request) => {
    encodeRequest(command, request)
    this.sent.push({ command: command.name, request })
    if (!Object.hasOwn(this.script, command.name)) throw new Error(`${command.name} is not in the script`)
    const scripted = this.script[command.name]
    const answer = typeof scripted === 'function' ? await (scripted as Script)(request) : scripted
    if (answer instanceof Refused)
      throw new ModuleRefusal(command.name, answer.status, command.statuses?.[answer.status] ?? 'unknown')
    if (answer instanceof Error) throw answer
    return answer as Response
  }

  async descriptor(): Promise<ModuleDescriptor> {
    if (this.descriptorError !== undefined) throw this.descriptorError
    return { ...fakeDescriptor, vendorProductId: this.vendorProductId }
  }

  /** A job with a turn is not bound to the gate: nothing waits before it. */
  async write<Result>(job: Job<Result>, { turn, wait, before }: WriteOptions = {}): Promise<Result> {
    if (turn === undefined) await this.#passGate()
    await wait?.end()
    before?.()
    try {
      return await job(this.exchange)
    } finally {
      this.emit('written')
    }
  }

  async read<Result>(key: string, { fresh }: { readonly fresh: boolean }, job: Job<Result>): Promise<Result> {
    this.reads.push({ key, fresh })
    await this.#passGate()
    return job(this.exchange)
  }

  /** Not bound to the gate: `spare` decides. */
  async readWhenIdle<Result>(job: Job<Result>): Promise<Result> {
    this.spareReads++
    await this.spare
    return job(this.exchange)
  }

  /** Refuses all jobs that wait at the gate. */
  refuseWaiting(): void {
    for (const refuse of this.#refusals) refuse()
  }

  readonly reset: Job<void> = async () => {
    this.resets++
    this.emit('reset')
  }

  giveUp(): Promise<void> {
    return Promise.resolve()
  }

  subscribe(listener: (event: SlotEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  emit(event: SlotEvent): void {
    for (const listener of [...this.#listeners]) listener(event)
  }

  #passGate(): Promise<void> {
    return new Promise((resolve, reject) => {
      const refuse = (): void => reject(coreErrors.stopping())
      this.#refusals.add(refuse)
      const pass = (): void => {
        this.#refusals.delete(refuse)
        resolve()
      }
      this.gate.then(pass, reject)
    })
  }
}
