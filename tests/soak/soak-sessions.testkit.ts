import type { Device } from '../device/device.testkit.ts'
import type { Chaos } from './soak-chaos.testkit.ts'

const MODULES = [
  ['bmc', 0],
  ['power', 1],
  ['io', 3],
  ['io', 5],
] as const
const SESSION = /^[A-Z0-9]{64}$/

/** Watches the sessions of all modules: they may change only when a module may have lost its state. */
export class Sessions {
  readonly #known = new Map<number, string>()
  #seenMs: number
  changes = 0

  constructor(
    private readonly device: Device,
    private readonly chaos: Chaos,
  ) {
    this.#seenMs = device.clock.now()
  }

  /** Throws if a session changed or a module is missing without a reason. */
  async step(): Promise<void> {
    const lookedMs = this.device.clock.now()
    for (const [service, slot] of MODULES) {
      const session = await this.device.module(service, slot).session()
      const known = this.#known.get(slot)
      const isCalm = this.chaos.wasCalm(slot, this.#seenMs)
      if (isCalm && (session === undefined || (known !== undefined && session !== known)))
        throw new Error(`slot ${slot} has the session ${session} instead of ${known} without a reason, at ${lookedMs} ms`)
      if (session === undefined) continue
      if (!SESSION.test(session)) throw new Error(`slot ${slot} has the session ${session}`)
      if (known !== undefined && session !== known) this.changes++
      this.#known.set(slot, session)
    }
    if (new Set(this.#known.values()).size !== this.#known.size) throw new Error('two modules have the same session')
    this.#seenMs = lookedMs
  }
}
