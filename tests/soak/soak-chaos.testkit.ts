import type { Random } from '@slotwire/core'
import { DEFAULT_LAYOUT } from '@slotwire/device/twin'
import * as twin from '@slotwire/twin'
import * as firmwares from '../../modules/firmwares.ts'
import type { Device } from '../device/device.testkit.ts'

/** Time after which a fault has no more effects: released modules are driven again. */
const RECOVERY_MS = 6000
const SLOTS = DEFAULT_LAYOUT.map(([slot]) => slot)
/** An empty slot; its draw is used as load of the rails. */
const LOAD_SLOT = 6

interface Trouble {
  /** Affected slots. */
  readonly slots: readonly number[]
  /** Whether frames of these slots are garbled or lost, so that notifications may get lost or arrive twice. */
  readonly damages: boolean
  readonly end: () => void | Promise<void>
}

/** Causes all kinds of faults, one after another, and records the affected slots. */
export class Chaos {
  readonly #troubledUntil = new Map<number, number>()
  readonly #damagedUntil = new Map<number, number>()
  #present: { readonly trouble: Trouble; readonly untilMs: number } | undefined
  #nextMs: number
  /** How often each kind of fault began. */
  readonly begun = new Map<string, number>()

  constructor(
    private readonly device: Device,
    private readonly random: Random,
  ) {
    this.#nextMs = device.clock.now()
    device.chassis.subscribe(({ type }) => {
      if (type === 'restarting') this.#note(SLOTS, Number.POSITIVE_INFINITY, false)
      if (type === 'up') this.#note(SLOTS, device.clock.now() + RECOVERY_MS, false)
    })
  }

  /** Whether no fault affected the slot since then. */
  wasCalm(slot: number, sinceMs: number): boolean {
    return (this.#troubledUntil.get(slot) ?? Number.NEGATIVE_INFINITY) < sinceMs
  }

  /** Whether frames of the slot may have been damaged since then. */
  wasDamaged(slot: number, sinceMs: number): boolean {
    return (this.#damagedUntil.get(slot) ?? Number.NEGATIVE_INFINITY) >= sinceMs
  }

  /** Ends an expired fault, and begins the next one when it is due. */
  async step(): Promise<void> {
    const nowMs = this.device.clock.now()
    if (this.#present !== undefined && nowMs >= this.#present.untilMs) await this.end()
    if (this.#present !== undefined || nowMs < this.#nextMs) return
    const [name, begin] = this.#pick(Object.entries(this.#kinds()))
    this.begun.set(name, (this.begun.get(name) ?? 0) + 1)
    const trouble = begin()
    this.#note(trouble.slots, Number.POSITIVE_INFINITY, trouble.damages)
    this.#present = { trouble, untilMs: nowMs + 200 + this.random() ** 2 * 8000 }
  }

  /** Ends the current fault. */
  async end(): Promise<void> {
    const ending = this.#present
    if (ending === undefined) return
    this.#present = undefined
    await ending.trouble.end()
    const nowMs = this.device.clock.now()
    this.#note(ending.trouble.slots, nowMs + RECOVERY_MS, ending.trouble.damages)
    this.#nextMs = nowMs + this.random() * 20_000
  }

  #kinds(): Readonly<Record<string, () => Trouble>> {
    const { chassis } = this.device
    const slot = this.#pick(SLOTS)
    const io = this.#pick([3, 5])
    const share = 0.02 + 0.3 * this.random()
    const [nowhere, nothing] = [[] as const, () => undefined]
    return {
      lost: () => this.#fault(slot, twin.lostFrames({ share }), true),
      crc: () => this.#fault(slot, twin.crcErrors({ share }), true),
      twice: () => this.#fault(slot, twin.duplicatedFrames({ share }), true),
      wrongClass: () => this.#fault(slot, twin.wrongClass({ share }), true),
      garbage: () => this.#fault(slot, twin.garbage({ share }), true),
      late: () => this.#fault(slot, twin.lateFrames({ share, delayMs: 20 }), false),
      tooLate: () => this.#fault(slot, twin.lateFrames({ share, delayMs: 400 }), false),
      hang: () => this.#fault(slot, twin.hang(), false),
      wait: () => this.#fault(slot, twin.endlessWait({ waitMs: 500 + 2000 * this.random() }), false),
      reboot: () => this.#fault(slot, twin.reboot(), false),
      unplug: () => {
        chassis.unplug(io)
        return { slots: [io], damages: false, end: () => chassis.plug(io, firmwares.io) }
      },
      fullStorage: () => this.#storage(twin.fullStorage()),
      corruptStorage: () => this.#storage(twin.corruptStorage()),
      memoryLoss: () => this.#storage(twin.memoryLoss()),
      brownOut: () => {
        chassis.rails.setVoltageOffset('12v', -1000)
        return { slots: nowhere, damages: false, end: () => chassis.rails.setVoltageOffset('12v', 0) }
      },
      overVoltage: () => {
        chassis.rails.setVoltageOffset('5v0', 100)
        return { slots: SLOTS, damages: false, end: () => chassis.rails.setVoltageOffset('5v0', 0) }
      },
      overload: () => {
        chassis.rails.setDraw(LOAD_SLOT, { '3v3': 0, '5v0': 3000, '12v': 2600 })
        return { slots: nowhere, damages: false, end: () => chassis.rails.setDraw(LOAD_SLOT, undefined) }
      },
      hardReset: () => {
        chassis.restartDevice('a test requested it')
        return { slots: SLOTS, damages: false, end: nothing }
      },
      weather: () => {
        chassis.computer.ambientCelsius = -20 + 80 * this.random()
        return { slots: nowhere, damages: false, end: nothing }
      },
    }
  }

  #fault(slot: number, fault: twin.Fault, damages: boolean): Trouble {
    const active = this.device.chassis.faults.inject(slot, fault)
    return { slots: [slot], damages, end: () => active?.clear() }
  }

  /** A storage fault of the mainboard or the power module; a factory reset repairs it. */
  #storage(fault: twin.Fault): Trouble {
    const { chassis } = this.device
    const slot = this.#pick([0, 1])
    const active = chassis.faults.inject(slot, fault)
    const end = async (): Promise<void> => {
      active?.clear()
      if (chassis.present().includes(slot)) await this.device.until(chassis.factoryReset(slot))
    }
    return { slots: [slot], damages: false, end }
  }

  #note(slots: readonly number[], untilMs: number, damages: boolean): void {
    for (const slot of slots) {
      this.#troubledUntil.set(slot, untilMs)
      if (damages) this.#damagedUntil.set(slot, untilMs)
    }
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.random() * items.length)] as Item
  }
}
