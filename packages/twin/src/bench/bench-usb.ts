import type { Chassis } from '../board/chassis.ts'
import type { UsbDeviceIdentity } from '../board/usb-hub.ts'
import type { ModuleTypes } from '../module/firmware.ts'
import { MOST_USB_CHARACTERS } from './bounds.ts'

/** The USB connectors of a chassis: the computer's own port, and the ports of the slots. */
export class BenchUsb {
  readonly #chassis: Chassis
  /** Number of the hub port of each slot that has one. */
  readonly #ports: ReadonlyMap<number, number>

  constructor(chassis: Chassis, moduleTypes: ModuleTypes) {
    this.#chassis = chassis
    const ports = Object.values(moduleTypes).flatMap(({ usbPorts = {} }) => Object.entries(usbPorts))
    this.#ports = new Map(ports.map(([slot, port]) => [Number(slot), port]))
  }

  /** The computer of the device's own port: whether a USB host is on it, which its bootloader waits for. */
  get hostConnected(): boolean {
    return this.#chassis.computer.usbHostConnected
  }

  set hostConnected(connected: boolean) {
    this.#chassis.computer.usbHostConnected = connected
  }

  /** Devices by the slot whose port they hang on. */
  get devices(): readonly { readonly slot: number; readonly device: UsbDeviceIdentity }[] {
    return this.#slots().flatMap((slot) => {
      const device = this.#chassis.usb.deviceAt(this.#port(slot))
      return device === undefined ? [] : [{ slot, device }]
    })
  }

  /** Throws `RangeError` for a slot without a port, and a port that is taken. */
  attach(slot: number, device: UsbDeviceIdentity): void {
    const port = this.#port(slot)
    if (this.#chassis.usb.deviceAt(port) !== undefined)
      throw new RangeError(`the USB port of slot ${slot} is taken: detach its device first`)
    const { manufacturer, product, serialCode } = device
    checkText('manufacturer', manufacturer)
    checkText('product', product)
    checkText('serialCode', serialCode)
    this.#chassis.usb.attach(port, { manufacturer, product, serialCode })
  }

  /** Throws `RangeError` where nothing hangs. */
  detach(slot: number): void {
    const port = this.#port(slot)
    if (this.#chassis.usb.deviceAt(port) === undefined) throw new RangeError(`nothing hangs on the USB port of slot ${slot}`)
    this.#chassis.usb.detach(port)
  }

  #port(slot: number): number {
    const port = this.#ports.get(slot)
    if (port === undefined) throw new RangeError(`slot ${slot} has no USB port: ${this.#slots().join(', ')} have`)
    return port
  }

  #slots(): readonly number[] {
    return [...this.#ports.keys()]
  }
}

function checkText(name: string, text: string): void {
  if (typeof text === 'string' && text.length <= MOST_USB_CHARACTERS) return
  throw new RangeError(`${name} of a USB device: a text of at most ${MOST_USB_CHARACTERS} characters`)
}
