import type { Clock } from '@slotwire/core'
import type { ModuleEnd } from './module-end.ts'

/** One full-duplex transfer as it was on the bus, faults included. */
export interface Transfer {
  /** Twin time, in ms. */
  readonly atMs: number
  readonly slot: number
  readonly host: Uint8Array
  readonly module: Uint8Array
}

/** Reports every transfer between a host and a module. */
export class TappedWire implements ModuleEnd {
  onPulse: () => void = () => undefined
  readonly #module: ModuleEnd
  readonly #slot: number
  readonly #clock: Clock
  readonly #onTransfer: (transfer: Transfer) => void

  constructor(module: ModuleEnd, options: { slot: number; clock: Clock; onTransfer: (transfer: Transfer) => void }) {
    this.#module = module
    this.#slot = options.slot
    this.#clock = options.clock
    this.#onTransfer = options.onTransfer
    module.onPulse = () => this.onPulse()
  }

  transfer(host: Uint8Array): Uint8Array {
    const module = this.#module.transfer(host)
    this.#onTransfer({ atMs: this.#clock.now(), slot: this.#slot, host, module })
    return module
  }
}
