import type { ModuleEnd } from '../bus/module-end.ts'
import type { WireFault } from './wire-fault.ts'

/** The faults on the wires of one slot, in the order of injection. They stay when the module leaves. */
export class WireFaults {
  readonly #faults = new Set<WireFault>()
  /** The module's pulse as the host sees it; set while a module is connected. */
  pulse: () => void = () => undefined

  /** Adds a fault; returns a function that removes it. */
  add(fault: WireFault): () => void {
    this.#faults.add(fault)
    fault.attach?.(() => this.pulse())
    return () => {
      if (this.#faults.delete(fault)) fault.end?.()
    }
  }

  transfer(hostFrame: Uint8Array, module: (hostFrame: Uint8Array) => Uint8Array): Uint8Array {
    let way = module
    for (const { transfer } of this.#faults) {
      if (transfer === undefined) continue
      const next = way
      way = (frame) => transfer(frame, next)
    }
    return way(hostFrame)
  }

  passPulse(host: () => void): void {
    let way = host
    for (const { pulse } of this.#faults) {
      if (pulse === undefined) continue
      const next = way
      way = () => pulse(next)
    }
    way()
  }
}

/** A module behind wires with faults. */
export class FaultyWire implements ModuleEnd {
  onPulse: () => void = () => undefined
  readonly #module: ModuleEnd
  readonly #faults: WireFaults

  constructor(module: ModuleEnd, faults: WireFaults) {
    this.#module = module
    this.#faults = faults
    module.onPulse = () => faults.passPulse(() => this.onPulse())
    faults.pulse = () => this.onPulse()
  }

  transfer(hostFrame: Uint8Array): Uint8Array {
    return this.#faults.transfer(hostFrame, (frame) => this.#module.transfer(frame))
  }
}
