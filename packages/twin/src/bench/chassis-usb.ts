import type { UsbDeviceIdentity } from '../board/usb-hub.ts'
import type { BenchOptions, BenchUsb } from './bench.ts'
import { MOST_USB_CHARACTERS } from './bounds.ts'

/** The USB connectors of a chassis: the computer's own port, and the ports of the slots. */
export class ChassisUsb implements BenchUsb {
  readonly #options: Pick<BenchOptions, 'chassis' | 'usbPorts'>

  constructor(options: Pick<BenchOptions, 'chassis' | 'usbPorts'>) {
    this.#options = options
  }

  get hostConnected(): boolean {
    return this.#options.chassis.computer.usbHostConnected
  }

  set hostConnected(connected: boolean) {
    this.#options.chassis.computer.usbHostConnected = connected
  }

  get devices(): readonly { readonly slot: number; readonly device: UsbDeviceIdentity }[] {
    return this.#slots().flatMap((slot) => {
      const device = this.#options.chassis.usb.deviceAt(this.#port(slot))
      return device === undefined ? [] : [{ slot, device }]
    })
  }

  attach(slot: number, device: UsbDeviceIdentity): void {
    const port = this.#port(slot)
    if (this.#options.chassis.usb.deviceAt(port) !== undefined)
      throw new RangeError(`the USB port of slot ${slot} is taken: detach its device first`)
    const { manufacturer, product, serialCode } = device
    checkText('manufacturer', manufacturer)
    checkText('product', product)
    checkText('serialCode', serialCode)
    this.#options.chassis.usb.attach(port, { manufacturer, product, serialCode })
  }

  detach(slot: number): void {
    const port = this.#port(slot)
    if (this.#options.chassis.usb.deviceAt(port) === undefined)
      throw new RangeError(`nothing hangs on the USB port of slot ${slot}`)
    this.#options.chassis.usb.detach(port)
  }

  #port(slot: number): number {
    const port = this.#options.usbPorts[slot]
    if (port === undefined) throw new RangeError(`slot ${slot} has no USB port: ${this.#slots().join(', ')} have`)
    return port
  }

  #slots(): readonly number[] {
    return Object.keys(this.#options.usbPorts).map(Number)
  }
}

function checkText(name: string, text: string): void {
  if (typeof text === 'string' && text.length <= MOST_USB_CHARACTERS) return
  throw new RangeError(`${name} of a USB device: a text of at most ${MOST_USB_CHARACTERS} characters`)
}
