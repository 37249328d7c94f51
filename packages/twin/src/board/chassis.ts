import { checked, integer } from '@slotwire/contract'
import {
  type Backplane,
  type BackplaneEvent,
  type BackplaneState,
  type Clock,
  type HostDevice,
  type HostDeviceQuery,
  type LastKnownPower,
  LinkError,
  Listeners,
  type Log,
  lastKnownOr,
  type ModuleDescriptor,
  type PowerDescriptor,
  type Random,
  SLOT_COUNT,
  silentLog,
  type Timer,
} from '@slotwire/core'
import { decodeResponse, encodeRequest, factoryReset } from '@slotwire/sdbp'
import type { HostController } from '../bus/host-controller.ts'
import { type BusMode, busTimings, type Transfer } from '../bus/module-end.ts'
import { Wiring } from '../circuit/wiring.ts'
import { Faults } from '../faults/slot-faults.ts'
import type { FirmwareDefinition } from '../module/firmware.ts'
import type { NonVolatileMemory } from '../module/memory.ts'
import type { VirtualModule } from '../module/virtual-module.ts'
import type { Board } from './board.ts'
import { ChassisSlot, DescriptorPause, PRESENCE_MS } from './chassis-slot.ts'
import { ComputeModule } from './compute-module.ts'
import { Rails } from './rails.ts'
import { UsbHub } from './usb-hub.ts'

export const SLOT_NUMBER = integer({ min: 0, max: SLOT_COUNT - 1 })
/** Kernel driver version that a twin reports; behaviour.md "Versions". */
export const TWIN_KERNEL_DRIVER = { major: 1, minor: 3, patch: 0 } as const
/** Default duration of a whole-device restart; twin.md "Chassis". */
export const RESTART_MS = 3000
/** Delay before the device goes down, in ms: lets the current exchange finish. */
export const RESTART_DELAY_MS = 10

export interface ChassisOptions {
  readonly clock: Clock
  readonly random: Random
  /** Seed of noise and buttons without one; default 1. */
  readonly seed?: number
  /** Non-volatile memory of a slot: another module in it gets the same memory. */
  readonly memory: (slot: number) => NonVolatileMemory
  readonly bus?: BusMode
  /** Called for every transfer on every bus, for recordings. */
  readonly onTransfer?: (transfer: Transfer) => void
  readonly log?: Log
}

/** A virtual device: eight slots, the plugged modules, and their surroundings. The host sees it as a `Backplane`. */
export class Chassis implements Backplane, Board {
  readonly kernelDriver = TWIN_KERNEL_DRIVER
  readonly wiring: Wiring
  readonly rails = new Rails()
  readonly usb: UsbHub
  readonly computer = new ComputeModule()
  /** All active faults of the device. */
  readonly faults: Faults
  readonly #log: Log
  readonly #slots = new Map<number, ChassisSlot>()
  readonly #listeners = new Listeners<BackplaneEvent>()
  readonly #descriptorPause: DescriptorPause
  #state: BackplaneState | 'off' = 'off'
  #restartTimer: Timer | undefined
  #restartDue = false

  constructor(private readonly options: ChassisOptions) {
    this.#log = options.log ?? silentLog
    this.wiring = new Wiring(options.clock, options.seed)
    this.usb = new UsbHub(options.clock)
    this.#descriptorPause = new DescriptorPause(options.clock)
    const { clock, random, memory } = options
    this.rails.supplied = false
    this.faults = new Faults({ clock, random, memory, reboot: (slot, ...how) => this.#slots.get(slot)?.reboot(...how) })
  }

  /** The clock of the device, its modules and its surroundings. */
  get clock(): Clock {
    return this.options.clock
  }

  get state(): BackplaneState {
    return this.#state === 'up' ? 'up' : 'restarting'
  }

  /** Plugs a module in. Throws `RangeError` for a slot that does not exist or is not empty. */
  plug(slot: number, definition: FirmwareDefinition): void {
    checked('slot', SLOT_NUMBER, slot)
    if (this.#slots.has(slot)) throw new RangeError(`slot ${slot} is taken: unplug its module first`)
    const { clock, random, bus = 'instant' } = this.options
    const { wire, memory } = this.faults.slot(slot)
    const plugged = new ChassisSlot({
      definition,
      context: { slot, clock, random, memory, board: this, log: this.#log },
      timing: busTimings[bus],
      wire,
      descriptorPause: this.#descriptorPause,
      onTransfer: this.options.onTransfer,
      onArrived: () => this.#listeners.emit({ type: 'arrived', slot }),
      onLeft: () => this.#listeners.emit({ type: 'left', slot }),
    })
    this.#slots.set(slot, plugged)
    if (this.#state === 'up') plugged.powerUp(PRESENCE_MS)
  }

  /** Pulls the module out of a slot. Throws `RangeError` for an empty one. */
  unplug(slot: number): void {
    const chassisSlot = this.#slotOf(slot)
    this.faults.moduleLeft(slot)
    this.#slots.delete(slot)
    chassisSlot.powerDown()
  }

  /** Occupied slots, ascending, including modules that the host has not detected yet. */
  get occupiedSlots(): readonly number[] {
    return [...this.#slots.keys()].sort((a, b) => a - b)
  }

  /** Definition of the module in a slot; undefined for an empty slot. */
  definition(slot: number): FirmwareDefinition | undefined {
    return this.#slots.get(slot)?.definition
  }

  /** The module in a slot. Throws `RangeError` for an empty one. */
  module(slot: number): VirtualModule {
    return this.#slotOf(slot).module
  }

  /** Sends the FACTORY_RESET command, which the REST API does not offer. Rejects with `RangeError`, `LinkError` or `SdbpError`. */
  async factoryReset(slot: number): Promise<void> {
    this.#slotOf(slot)
    decodeResponse(factoryReset, await this.#controller(slot).exchange(encodeRequest(factoryReset, {})))
  }

  /** Switches the device on; resolves after connecting to its modules. Never rejects. */
  async powerOn(): Promise<void> {
    this.#state = 'up'
    this.#descriptorPause.end()
    this.rails.supplied = true
    this.#listeners.emit({ type: 'up' })
    await Promise.all([...this.#slots.values()].map((slot) => slot.powerUpAtOnce()))
  }

  /** Switches everything off and cancels all timers. */
  powerOff(): void {
    this.#restartTimer?.cancel()
    this.#restartDue = false
    this.computer.bootloader?.cancel()
    this.#state = 'off'
    this.faults.clear()
    for (const slot of this.#slots.values()) slot.powerDown()
    this.rails.supplied = false
  }

  /** Restarts the whole device after `RESTART_DELAY_MS`; further calls before that have no effect. */
  restartDevice(reason: string): void {
    if (this.#state !== 'up' || this.#restartDue) return
    this.#restartDue = true
    this.#restartTimer = this.options.clock.after(RESTART_DELAY_MS, () => this.#goDown(reason))
  }

  /** Interrupts the supply of the whole device: it goes down at once. Throws `RangeError` while it is switched off. */
  interruptSupply(): void {
    if (this.#state === 'off') throw new RangeError('the device is switched off: switch it on first')
    this.#restartTimer?.cancel()
    this.computer.bootloader?.cancel()
    this.#goDown('its supply was interrupted')
  }

  present(): readonly number[] {
    return this.occupiedSlots.filter((slot) => this.#slots.get(slot)?.controller !== undefined)
  }

  async descriptor(slot: number): Promise<ModuleDescriptor> {
    return this.#controller(slot).intactDescriptor()
  }

  async powerDescriptors(lastKnown?: LastKnownPower): Promise<ReadonlyMap<number, PowerDescriptor>> {
    const read = (slot: number): Promise<PowerDescriptor> =>
      this.descriptor(slot).catch((error: unknown) => lastKnownOr(error, slot, lastKnown))
    return new Map(await Promise.all(this.present().map(async (slot) => [slot, await read(slot)] as const)))
  }

  async open(slot: number): Promise<HostController> {
    return this.#controller(slot)
  }

  async hostDevices({ bus, names, attributes: wanted }: HostDeviceQuery): Promise<readonly HostDevice[]> {
    if (bus !== 'usb') return []
    const usbDevices = this.usb.hostDevices().filter(({ name }) => names.test(name))
    return usbDevices.map(({ attributes, ...device }) => ({
      ...device,
      attributes: Object.fromEntries(wanted.map((name) => [name, attributes[name] ?? ''])),
    }))
  }

  subscribe(listener: (event: BackplaneEvent) => void): () => void {
    return this.#listeners.add(listener)
  }

  #slotOf(slot: number): ChassisSlot {
    const chassisSlot = this.#slots.get(slot)
    if (chassisSlot === undefined) throw new RangeError(`slot ${slot} is empty`)
    return chassisSlot
  }

  #controller(slot: number): HostController {
    const controller = this.#slots.get(slot)?.controller
    if (controller !== undefined) return controller
    throw new LinkError('gone', this.#slots.has(slot) ? `the module in slot ${slot} is not up yet` : `slot ${slot} is empty`)
  }

  #goDown(reason: string): void {
    this.#restartDue = false
    this.#log.info({ reason }, 'the virtual device goes down to restart')
    this.#state = 'restarting'
    // Cut the supply before the event: otherwise a host that releases its modules on the event would reset them to their initial state.
    for (const slot of this.#slots.values()) slot.abandon()
    this.#listeners.emit({ type: 'restarting' })
    for (const slot of this.#slots.values()) slot.powerDown()
    this.rails.supplied = false
    this.#boot()
  }

  /** Boots after the restart time. If the computer's bootloader is armed (set for the next start), it runs first, and the device restarts again. */
  #boot(): void {
    const { clock } = this.options
    this.#restartTimer = clock.after(RESTART_MS, () => {
      const bootloader = this.computer.enterBootloader(clock, () => this.#boot())
      if (bootloader === undefined) void this.powerOn()
      else this.#log.warn({}, 'the computer waits in its bootloader for a USB host')
    })
  }
}

/**
 * `maxLatenessMs` for the clock of a virtual device. If a debugger or a busy machine stops the process for longer, the twin's time stops
 * too.
 */
export const STALL_MS = 200
