import { ManualClock, seededRandom, silentLog } from '@slotwire/core'
import { Rack } from '@slotwire/driver'
import type { Caller, ModuleService } from '@slotwire/service'
import { FakeBackplane } from '../../../driver/src/rack/fake-backplane.testkit.ts'
import { type FakeModule, RELAY, setValue } from '../../../driver/src/slot/fake-module.testkit.ts'
import { endsOf, type Frame, forbiddenWrites, type Granted, type Write } from './interleaving-judge.testkit.ts'
import { Leases } from './leases.ts'

export const SLOTS = [3, 5] as const
/** A lapse is followed until then. */
const FOLLOWED_MS = 1300

/** One thing that clients or the device do. `client` and `slot` are indexes. */
export type Step =
  | {
      readonly do: 'write'
      readonly client: number
      readonly slot: number
      readonly reach: 'device' | undefined
      readonly stale: boolean
    }
  | {
      readonly do: 'grant'
      readonly client: number
      readonly slots: readonly number[]
      readonly ttlMs: number
      readonly onLapse: 'keep' | 'safe'
      readonly force: boolean
    }
  | { readonly do: 'renew' | 'giveBack' | 'revoke'; readonly client: number }
  | { readonly do: 'unplug' | 'plug' | 'hang' | 'recover'; readonly slot: number }
  | { readonly do: 'restart' | 'up' }
  | { readonly do: 'wait'; readonly ms: number }

interface Client {
  readonly caller: Caller
  isValid: boolean
  /** Of the last grant, and of the one before. */
  granted: Granted | undefined
  former: Granted | undefined
}

export interface Outcome {
  /** What a write or a module did that it must not. */
  readonly faults: readonly string[]
  readonly executed: number
  readonly refused: number
  readonly takeovers: number
  readonly madeSafe: number
  readonly fell: number
}

/** Runs the steps on a rack with fake modules, and compares what the modules received with what the leases allow. */
export async function interleaving(steps: readonly Step[], exchangeMs: number): Promise<Outcome> {
  const run = new Interleaving(exchangeMs)
  await run.start()
  for (const step of steps) await run.step(step)
  return run.end()
}

class Interleaving {
  readonly #clock = new ManualClock()
  readonly #backplane = new FakeBackplane(this.#clock)
  readonly #rack: Rack
  readonly #leases: Leases
  readonly #modules = new Map<number, FakeModule>()
  readonly #clients: readonly Client[] = [0, 1, 2].map((index) => this.#client(index))
  readonly #leased: Granted[] = []
  readonly #frames: Frame[] = []
  readonly #writes: Write[] = []
  readonly #closes: { readonly module: FakeModule; readonly atMs: number }[] = []
  readonly #faults: string[] = []
  #moment = 0
  #refused = 0
  #takeovers = 0

  constructor(private readonly exchangeMs: number) {
    const common = { random: seededRandom(2), log: silentLog, clock: this.#clock }
    this.#rack = new Rack({ ...common, backplane: this.#backplane, types: [RELAY] })
    const contract = { service: 'relay', serviceName: '', port: 1, title: '', description: '', defaultSlots: [], endpoints: {} }
    const relay: ModuleService = { contract, vendorProductId: RELAY, handlers: {}, safeState: 'reset' }
    const journal = { add: () => ({ id: '1-1', at: '', up_ms: 0, kind: 'lease' as const }) }
    this.#leases = new Leases({
      ...common,
      rack: this.#rack,
      services: [relay],
      deviceClock: this.#clock,
      wallTime: () => 0,
      journal,
    })
  }

  #client(index: number): Client {
    const client: Client = {
      isValid: true,
      granted: undefined,
      former: undefined,
      caller: {
        door: 'network',
        address: '192.0.2.7',
        readOnly: false,
        token: { id: String(index), name: `client ${index}` },
        isValid: () => client.isValid,
      },
    }
    return client
  }

  async start(): Promise<void> {
    for (const slot of SLOTS) this.#plug(slot)
    const started = this.#rack.start()
    await this.#clock.advance(20 * this.exchangeMs)
    await started
  }

  async step(step: Step): Promise<void> {
    this.#noteLapses()
    switch (step.do) {
      case 'write':
        return this.#write(step)
      case 'grant':
        return this.#grant(step)
      case 'renew':
      case 'giveBack':
      case 'revoke':
        return this.#change(step.do, this.#clients[step.client])
      case 'unplug':
        this.#modules.delete(step.slot)
        return this.#backplane.unplug(step.slot)
      case 'plug':
        if (!this.#modules.has(step.slot) && this.#backplane.state === 'up') this.#plug(step.slot)
        return
      case 'hang':
        return this.#modules.get(step.slot)?.hang()
      case 'recover':
        return this.#modules.get(step.slot)?.recover()
      case 'restart':
        if (this.#backplane.state !== 'up') return
        this.#modules.clear()
        return this.#backplane.restart()
      case 'up':
        if (this.#backplane.state === 'up') return
        this.#backplane.up()
        return SLOTS.forEach((slot) => this.#plug(slot))
      case 'wait':
        return this.#wait(step.ms)
    }
  }

  async end(): Promise<Outcome> {
    const lapses = this.#leased.flatMap(({ lapse }) => lapse?.atMs ?? [])
    await this.#wait(Math.max(0, FOLLOWED_MS + Math.max(...lapses) - this.#clock.now()))
    const endMs = this.#clock.now()
    this.#leases.close()
    const stopped = this.#rack.stop()
    await this.#clock.advance(FOLLOWED_MS)
    await stopped
    const followedMs = endMs - FOLLOWED_MS
    const [leased, frames, writes, closes] = [this.#leased, this.#frames, this.#writes, this.#closes]
    const evidence = { leased, frames, writes, closes, exchangeMs: this.exchangeMs }
    const ends = this.#leased
      .filter(({ lapse }) => (lapse?.atMs ?? endMs) <= followedMs)
      .flatMap((lease) => endsOf(lease, evidence))
    return {
      faults: [...this.#faults, ...forbiddenWrites(evidence), ...ends.flatMap(({ fault }) => fault ?? [])],
      executed: this.#writes.filter(({ began }) => began !== undefined).length,
      refused: this.#refused,
      takeovers: this.#takeovers,
      madeSafe: ends.filter(({ end }) => end === 'safe').length,
      fell: ends.filter(({ end }) => end === 'fell').length,
    }
  }

  /** In small steps up to each expiry, so that what is plugged at that moment is known. */
  async #wait(ms: number): Promise<void> {
    const untilMs = this.#clock.now() + ms
    for (;;) {
      const next = Math.min(untilMs, ...this.#leased.filter((lease) => this.#isInForce(lease)).map(({ expiresMs }) => expiresMs))
      await this.#clock.advance(Math.max(0, next - this.#clock.now() - 0.5))
      this.#noteModules()
      await this.#clock.advance(next - this.#clock.now())
      this.#noteLapses()
      if (next >= untilMs) return
    }
  }

  readonly #present = new Map<number, FakeModule | undefined>()

  /** The modules that a lapse must make safe. */
  #noteModules(): void {
    for (const slot of SLOTS) {
      const isUsable = this.#rack.find(slot, RELAY) !== undefined
      this.#present.set(slot, isUsable ? this.#modules.get(slot) : undefined)
    }
  }

  #noteLapses(): void {
    for (const lease of this.#leased) {
      if (lease.lapse !== undefined || lease.expiresMs > this.#clock.now()) continue
      this.#lapse(lease, lease.expiresMs)
    }
  }

  #lapse(lease: Granted, atMs: number): void {
    const slots = [...lease.ends].filter(([, moment]) => moment === Number.POSITIVE_INFINITY).map(([slot]) => slot)
    lease.lapse = { atMs, slots: slots.map((slot) => ({ slot, module: this.#present.get(slot) })) }
  }

  #isInForce(lease: Granted): boolean {
    return lease.lapse === undefined && [...lease.ends.values()].includes(Number.POSITIVE_INFINITY)
  }

  #plug(slot: number): void {
    const module = this.#backplane.plug(slot)
    module.exchangeMs = this.exchangeMs
    this.#modules.set(slot, module)
    const exchange = module.exchange.bind(module)
    const close = module.close.bind(module)
    module.close = () => {
      this.#closes.push({ module, atMs: this.#clock.now() })
      return close()
    }
    module.exchange = async (payload) => {
      const answering = exchange(payload)
      const { name = '' } = module.sent.at(-1) ?? {}
      const write = name === 'SET_VALUE' ? new DataView(payload.buffer, payload.byteOffset).getUint16(3) : -1
      const frame = { moment: ++this.#moment, atMs: this.#clock.now(), slot, module, name, write, acknowledged: false }
      this.#frames.push(frame)
      const answer = await answering
      frame.acknowledged = true
      return answer
    }
  }

  #write({ client, slot, reach, stale }: Step & { do: 'write' }): void {
    const found = this.#rack.find(slot, RELAY)
    const from = this.#clients[client]
    if (found === undefined) return
    const secret = (stale ? from?.former : from?.granted)?.secret
    const write: Write = { id: this.#writes.length, slot, secret, reach, began: undefined }
    this.#writes.push(write)
    const guarded = { slot, reach, secret, caller: from?.caller }
    const writing = found.write(
      async (exchange) => {
        write.began = { moment: ++this.#moment, atMs: this.#clock.now() }
        await exchange(setValue, { value: write.id })
        await exchange(setValue, { value: write.id })
      },
      { before: () => this.#leases.begin(guarded) },
    )
    writing.catch(() => this.#refused++).finally(() => this.#leases.end(guarded))
  }

  #grant({ client: index, slots, ttlMs, onLapse, force }: Step & { do: 'grant' }): void {
    const client = this.#clients[index]
    if (client === undefined) return
    this.#noteModules()
    const request = { slots, holder: 'test', ttl_seconds: ttlMs / 1000, on_lapse: onLapse, force }
    const moment = ++this.#moment
    const atMs = this.#clock.now()
    const before = this.#leases.list(undefined)
    const granting = this.#leases.grant(request, client.caller)
    const number = this.#leases.list(undefined).find((lease) => before.every((other) => other.number !== lease.number))?.number
    granting.then(
      ({ secret }) => {
        const granted = this.#leased.find((lease) => lease.number === number)
        if (granted === undefined) throw new Error('a lease was granted that is not listed')
        client.former = client.granted
        client.granted = Object.assign(granted, { secret, answered: ++this.#moment })
      },
      () => undefined,
    )
    if (number === undefined) return
    for (const lease of this.#leased) {
      for (const slot of slots) {
        if (lease.lapse !== undefined || lease.ends.get(slot) !== Number.POSITIVE_INFINITY) continue
        lease.ends.set(slot, moment)
        this.#takeovers++
      }
    }
    this.#leased.push({
      number,
      secret: '',
      onLapse,
      caller: client.caller,
      ttlMs,
      expiresMs: atMs + ttlMs,
      answered: Number.POSITIVE_INFINITY,
      ends: new Map(slots.map((slot) => [slot, Number.POSITIVE_INFINITY])),
      lapse: undefined,
    })
  }

  #change(what: 'renew' | 'giveBack' | 'revoke', client: Client | undefined): void | Promise<void> {
    if (client === undefined) return
    this.#noteModules()
    if (what === 'revoke') return this.#revoke(client)
    const { granted } = client
    if (granted === undefined) return
    const expected = this.#isInForce(granted)
    try {
      if (what === 'renew') this.#leases.renew(granted.number, granted.secret, undefined)
      else this.#leases.giveBack(granted.number, granted.secret)
    } catch {
      if (expected) this.#faults.push(`${what} was refused for a lease in force`)
      return
    }
    if (!expected) this.#faults.push(`${what} was accepted for a lease that has ended`)
    if (what === 'renew') granted.expiresMs = this.#clock.now() + granted.ttlMs
    else this.#endAll(granted, ++this.#moment)
  }

  /** The token of the client is revoked; the client gets another one. Within the next check its leases lapse. */
  #revoke(client: Client): void {
    client.isValid = false
    const moment = ++this.#moment
    // Any request makes the leases check their tokens.
    this.#leases.list(undefined)
    for (const lease of this.#leased) {
      if (lease.caller !== client.caller || !this.#isInForce(lease)) continue
      this.#lapse(lease, this.#clock.now())
      this.#endAll(lease, moment)
    }
    client.isValid = true
  }

  #endAll(lease: Granted, moment: number): void {
    for (const [slot, end] of lease.ends) if (end === Number.POSITIVE_INFINITY) lease.ends.set(slot, moment)
  }
}
