import { checked, integer } from '@slotwire/contract'
import { RAILS, type Rail, SLOT_COUNT } from '@slotwire/core'
import { type Chassis, SLOT_NUMBER } from '../board/chassis.ts'
import type { Rails } from '../board/rails.ts'
import type { UsbDeviceIdentity } from '../board/usb-hub.ts'
import type { Connection } from '../circuit/connection.ts'
import type { ActiveFault } from '../faults/slot-faults.ts'
import { type ModuleTypes, maxPins } from '../module/firmware.ts'
import { BenchPin } from './bench-pin.ts'
import { BenchSlot } from './bench-slot.ts'
import { AMBIENT_CELSIUS, COMPUTER_WATT, railFields, USB_TEXT } from './bounds.ts'

/**
 * The wiring and surroundings of a virtual device, and all changes to them from outside; twin.md "Bench and scenarios". The device may be
 * switched off.
 */
export class Bench {
  readonly slots: readonly BenchSlot[]
  readonly usb: BenchUsb
  /** Ids of connections and faults by the names that actions gave them. */
  readonly #ids = new Map<string, string>()
  readonly #maxPins: number

  /** `moduleTypes` can be plugged. They define which pins can be wired, and which slots have a USB port. */
  constructor(
    private readonly chassis: Chassis,
    moduleTypes: ModuleTypes,
  ) {
    this.#maxPins = maxPins(Object.values(moduleTypes))
    this.slots = Array.from({ length: SLOT_COUNT }, (_, slot) => new BenchSlot(slot, chassis, moduleTypes))
    this.usb = new BenchUsb(chassis, moduleTypes)
  }

  /** Throws `RangeError` outside slots 0…7, and for a pin number that no module type has. */
  pin(slot: number, pin: number): BenchPin {
    checked('slot', SLOT_NUMBER, slot)
    checked('pin', integer({ min: 1, max: this.#maxPins }), pin)
    return new BenchPin(slot, pin, this.chassis.wiring, this.chassis.clock)
  }

  slot(slot: number): BenchSlot {
    return this.slots[checked('slot', SLOT_NUMBER, slot)] as BenchSlot
  }

  rail(rail: Rail): BenchRail {
    if (!RAILS.includes(rail)) throw new RangeError(`rail ${rail}: ${RAILS.join(', ')}`)
    return new BenchRail(rail, this.chassis.rails)
  }

  get connections(): readonly Connection[] {
    return this.chassis.wiring.connections()
  }

  /** The connection with a name or id. Throws `RangeError` if it does not exist. */
  connection(name: string): Connection {
    const connection = this.connections.find(({ id }) => id === this.#idOf(name))
    if (connection === undefined) throw new RangeError(`connection ${name} does not exist: see the list of connections`)
    return connection
  }

  /** The only element on a pin; of a kind, if `kind` is given. Throws `RangeError` unless there is exactly one. */
  elementAt(pin: BenchPin, kind?: string): Connection {
    const all = pin.connections.filter((each) => each.kind !== 'wire')
    const [element, second] = all.filter((each) => kind === undefined || each.kind === kind)
    const present = all.map(({ description }) => description).join(', ') || 'nothing'
    if (element === undefined) throw new RangeError(`pin ${pin.name} has no ${kind ?? 'element'}: it has ${present}`)
    if (second !== undefined)
      throw new RangeError(`pin ${pin.name} has several elements, ${present}: give each a name with as, and use the name`)
    return element
  }

  /** The active fault with a name or id. Throws `RangeError` if it does not exist. */
  fault(name: string): ActiveFault {
    const fault = this.faults.find(({ id }) => id === this.#idOf(name))
    if (fault === undefined) throw new RangeError(`fault ${name} does not exist: see the list of faults`)
    return fault
  }

  /** Gives a connection or a fault a name, and returns the name; without one it is the id. A name that is taken goes to this one. */
  name(id: string, name = id): string {
    const present = new Set([...this.connections, ...this.faults].map((each) => each.id))
    for (const [other, of] of this.#ids) if (of === id || !present.has(of)) this.#ids.delete(other)
    this.#ids.set(name, id)
    return name
  }

  /** The name of a connection or a fault: its id, if no action gave it one. */
  nameOf(id: string): string {
    return [...this.#ids].find(([, each]) => each === id)?.[0] ?? id
  }

  #idOf(name: string): string {
    return this.#ids.get(name) ?? name
  }

  /** Active faults, in the order of injection. */
  get faults(): readonly ActiveFault[] {
    return this.chassis.faults.active()
  }

  /** Ends all faults, or those of one slot; returns how many. */
  clearFaults(slot?: number): number {
    if (slot !== undefined) checked('slot', SLOT_NUMBER, slot)
    return this.chassis.faults.clear(slot)
  }

  /** In degrees Celsius: -40…125. */
  get ambientCelsius(): number {
    return this.chassis.computer.ambientCelsius
  }

  set ambientCelsius(celsius: number) {
    this.chassis.computer.ambientCelsius = checked('ambientCelsius', AMBIENT_CELSIUS, celsius)
  }

  /** Heat output of the device's computer, in watt: 0…50. */
  get computerWatt(): number {
    return this.chassis.computer.loadWatt
  }

  set computerWatt(watt: number) {
    this.chassis.computer.loadWatt = checked('computerWatt', COMPUTER_WATT, watt)
  }

  /** Interrupts the supply of the whole device: everything restarts. */
  restart(): void {
    this.chassis.interruptSupply()
  }
}

/** One of the three supply rails. */
export class BenchRail {
  constructor(
    readonly rail: Rail,
    private readonly rails: Rails,
  ) {}

  /** Current of the modules and the load now, in mA; 0 while the rail is off. */
  get milliampere(): number {
    return this.rails.current(this.rail)
  }

  get isOn(): boolean {
    return this.rails.isOn(this.rail)
  }

  /** Extra load beside the modules, in mA: 0…20000. */
  get loadMilliampere(): number {
    return this.rails.load(this.rail)
  }

  set loadMilliampere(milliampere: number) {
    this.rails.setLoad(this.rail, checked('loadMilliampere', railFields.load_milliampere, milliampere))
  }

  /** Voltage offset caused by a fault of the supply, in mV: -15000…15000. */
  get offsetMillivolt(): number {
    return this.rails.voltageOffset(this.rail)
  }

  set offsetMillivolt(millivolt: number) {
    this.rails.setVoltageOffset(this.rail, checked('offsetMillivolt', railFields.offset_millivolt, millivolt))
  }
}

/** The USB connectors of a device: the computer's own port, and the ports of the slots. */
export class BenchUsb {
  /** Hub port number by slot; only slots that have a port. */
  readonly #ports: ReadonlyMap<number, number>

  constructor(
    private readonly chassis: Chassis,
    moduleTypes: ModuleTypes,
  ) {
    const ports = Object.values(moduleTypes).flatMap(({ usbPorts = {} }) => Object.entries(usbPorts))
    this.#ports = new Map(ports.map(([slot, port]) => [Number(slot), port]))
  }

  /** Whether a USB host is connected to the computer's own port. The computer's bootloader waits for it. */
  get hostConnected(): boolean {
    return this.chassis.computer.usbHostConnected
  }

  set hostConnected(connected: boolean) {
    this.chassis.computer.usbHostConnected = connected
  }

  /** Connected devices, with the slot of their port. */
  get devices(): readonly { readonly slot: number; readonly device: UsbDeviceIdentity }[] {
    return [...this.#ports].flatMap(([slot, port]) => {
      const device = this.chassis.usb.deviceAt(port)
      return device === undefined ? [] : [{ slot, device }]
    })
  }

  /** Throws `RangeError` for a slot without a port and for a taken port. */
  attach(slot: number, device: UsbDeviceIdentity): void {
    const port = this.#port(slot)
    if (this.chassis.usb.deviceAt(port) !== undefined)
      throw new RangeError(`the USB port of slot ${slot} is taken: detach its device first`)
    const { manufacturer, product, serialCode } = device
    for (const [name, text] of Object.entries({ manufacturer, product, serialCode })) checked(name, USB_TEXT, text)
    this.chassis.usb.attach(port, { manufacturer, product, serialCode })
  }

  /** Throws `RangeError` if no device is connected there. */
  detach(slot: number): void {
    const port = this.#port(slot)
    if (this.chassis.usb.deviceAt(port) === undefined) throw new RangeError(`no device is on the USB port of slot ${slot}`)
    this.chassis.usb.detach(port)
  }

  #port(slot: number): number {
    const port = this.#ports.get(slot)
    if (port === undefined) throw new RangeError(`slot ${slot} has no USB port: use one of ${[...this.#ports.keys()].join(', ')}`)
    return port
  }
}
