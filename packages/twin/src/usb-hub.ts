import type { HostUsbDevice } from '@slotwire/core'

/** A device that can be attached to the hub. */
export interface UsbDeviceIdentity {
  readonly manufacturer: string
  readonly product: string
  readonly serialCode: string
}

/** The virtual USB bus: hub ports 1…8 with what hangs on them. The bmc firmware switches ports; the host sees the rest. */
export interface UsbHub {
  attach(port: number, device: UsbDeviceIdentity): void
  detach(port: number): void
  /** Applied state: which ports are on; all devices leave and enumerate anew. */
  apply(enabledPorts: ReadonlySet<number>): void
  /** What the host finds now, with the numbers it gives to the ports (disabled ones left out). */
  hostDevices(): readonly HostUsbDevice[]
}
