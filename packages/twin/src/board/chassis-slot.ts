import { type Clock, LinkError, type Timer } from '@slotwire/core'
import { SdbpError } from '@slotwire/sdbp'
import { HostController } from '../bus/host-controller.ts'
import { type ModuleEnd, type Transfer, tapped } from '../bus/module-end.ts'
import type { WireFaults } from '../faults/faulty-wire.ts'
import type { FirmwareDefinition } from '../module/firmware.ts'
import { type ModuleRestart, VirtualModule, type VirtualModuleOptions } from '../module/virtual-module.ts'

/** A module counts as present when its interrupt line has idled high for this long; wire-protocol.md section 1. */
export const PRESENCE_MS = 500

export interface ChassisSlotOptions extends Omit<VirtualModuleOptions, 'onRestart'> {
  /** Faults between the slot and its module. */
  readonly wire: WireFaults
  /** Shared by all slots. */
  readonly descriptorPause: DescriptorPause
  /** Called for every transfer on this slot's bus. */
  readonly onTransfer: ((transfer: Transfer) => void) | undefined
  readonly onArrived: () => void
  readonly onLeft: () => void
}

/** One occupied slot: the module, and the host's end of its bus while the module is present. */
export class ChassisSlot {
  readonly module: VirtualModule
  readonly #wire: ModuleEnd
  #controller: HostController | undefined
  #arrived = false
  #timer: Timer | undefined

  constructor(private readonly options: ChassisSlotOptions) {
    this.module = new VirtualModule({ ...options, onRestart: (into) => this.#restart(into) })
    const { slot, clock } = options.context
    const { onTransfer } = options
    const wire = options.wire.connect(this.module)
    this.#wire = onTransfer === undefined ? wire : tapped(wire, { slot, clock, onTransfer })
  }

  get definition(): FirmwareDefinition {
    return this.options.definition
  }

  /** The host's end of the bus, once the descriptor has been read. */
  get controller(): HostController | undefined {
    return this.#arrived ? this.#controller : undefined
  }

  /** Switches the module's supply on; the host detects it after `presenceMs`. */
  powerUp(presenceMs: number, into: ModuleRestart = 'normal'): void {
    this.module.powerUp(into)
    this.#connectIn(presenceMs)
  }

  /** Switches the module's supply on and connects at once; resolves after the attempt, successful or not. */
  powerUpAtOnce(): Promise<void> {
    this.module.powerUp()
    return this.#connect()
  }

  /** From now on the host cannot reach the module. */
  abandon(): void {
    this.#controller?.abandon()
  }

  powerDown(): void {
    this.#timer?.cancel()
    this.module.powerDown()
    this.#controller?.abandon()
    this.#controller = undefined
    const wasThere = this.#arrived
    this.#arrived = false
    if (wasThere) this.options.onLeft()
  }

  /**
   * Interrupts the module's supply for a moment. Its interrupt line is low for `lowMs`: if too short, the host does not see it leave. With 0
   * the host sees it at once. Does nothing if the supply is off.
   */
  reboot(lowMs: number, into: ModuleRestart = 'normal'): void {
    const { controller } = this
    if (lowMs === 0 || controller === undefined) return this.#restart(into)
    if (this.module.mode === 'off') return
    const { clock } = this.options.context
    this.module.powerDown()
    controller.lineIsLow = true
    this.#timer = clock.after(lowMs, () => {
      this.module.powerUp()
      controller.lineIsLow = false
      if (this.#controller === undefined) this.#connectIn(PRESENCE_MS)
    })
  }

  /** Restarts the module, unless its supply is off. */
  #restart(into: ModuleRestart): void {
    if (this.module.mode === 'off') return
    this.powerDown()
    this.powerUp(PRESENCE_MS, into)
  }

  /** Never rejects: retries after a failed read, and waits if another slot's has failed. */
  async #connect(): Promise<void> {
    const { descriptorPause } = this.options
    const { slot, clock, log } = this.options.context
    if (descriptorPause.leftMs > 0) return this.#connectIn(descriptorPause.leftMs)
    const controller = new HostController(slot, this.#wire, clock, this.options.timing)
    this.#controller = controller
    controller.onMissing = () => {
      this.#controller = undefined
      this.#arrived = false
      this.options.onLeft()
      // Its interrupt line is high again, unless it restarts.
      if (this.module.mode !== 'off') this.#connectIn(PRESENCE_MS)
    }
    try {
      await controller.connect()
      descriptorPause.end()
      if (this.#controller !== controller) return
      this.#arrived = true
      this.options.onArrived()
    } catch (error) {
      if (this.#controller !== controller) return
      if (!(error instanceof LinkError) && !(error instanceof SdbpError)) log.error({ slot, err: error }, 'slot failed')
      descriptorPause.failed()
      this.#connectIn(descriptorPause.leftMs)
    }
  }

  #connectIn(delayMs: number): void {
    this.#timer = this.options.context.clock.after(delayMs, () => void this.#connect())
  }
}

/** How much each failure adds to the pause, and the longest pause. */
const PAUSE_MS = { step: 1000, longest: 60_000 }

/**
 * The kernel driver's pause after a descriptor that it could not read: n seconds after the n-th, for all slots. Whether a success ends the
 * count on a device is not known; here it does.
 */
export class DescriptorPause {
  #pauseMs = 0
  #untilMs = Number.NEGATIVE_INFINITY

  constructor(private readonly clock: Clock) {}

  /** Time until the next descriptor may be read; not above 0: now. */
  get leftMs(): number {
    return this.#untilMs - this.clock.now()
  }

  failed(): void {
    this.#pauseMs = Math.min(this.#pauseMs + PAUSE_MS.step, PAUSE_MS.longest)
    this.#untilMs = this.clock.now() + this.#pauseMs
  }

  /** A descriptor was read, or the host starts again. */
  end(): void {
    this.#pauseMs = 0
    this.#untilMs = Number.NEGATIVE_INFINITY
  }
}
