import { checked } from '@slotwire/contract'
import type { Chassis } from '../board/chassis.ts'
import type { UsbDeviceIdentity } from '../board/usb-hub.ts'
import type { ModuleTypes } from '../module/firmware.ts'
import { USB_TEXT } from './bounds.ts'

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
