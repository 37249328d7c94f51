import type { Clock, HostDevice } from '@slotwire/core'

/** Ports of the hub, numbered from 1. */
const HUB_PORT_COUNT = 8
/** Time that the host needs to enumerate a device. */
export const ENUMERATION_MS = 300
/** Prefix of host names for devices behind the hub, which is on the first port of bus 1; wire-protocol.md "bmc module". */
const HUB_PREFIX = '1-1.'
/** Folder of the hub, as the host resolves `/sys/bus/usb/devices/1-1`. */
const SYSTEM_FOLDER = '/sys/devices/platform/usb/usb1/1-1'

/** A device that can be attached to the hub. */
export interface UsbDeviceIdentity {
  readonly manufacturer: string
  readonly product: string
  readonly serialCode: string
}

/** The virtual USB bus: hub ports 1…8 with their devices. The bmc firmware switches the ports; the host sees devices on enabled ports. */
export class UsbHub {
  readonly #attached = new Map<number, { readonly device: UsbDeviceIdentity; readonly foundAtMs: number }>()
  /** Undefined while the hub has no supply. */
  #enabledPorts: ReadonlySet<number> | undefined
  #foundAtMs = 0

  constructor(private readonly clock: Clock) {}

  /** Attaches a device; the host finds it after enumeration. Throws `RangeError` for a port that does not exist or is taken. */
  attach(port: number, device: UsbDeviceIdentity): void {
    if (!Number.isInteger(port) || port < 1 || port > HUB_PORT_COUNT)
      throw new RangeError(`USB port ${port}: 1…${HUB_PORT_COUNT}`)
    if (this.#attached.has(port)) throw new RangeError(`USB port ${port} is taken: detach its device first`)
    this.#attached.set(port, { device, foundAtMs: this.#foundFromNow() })
  }

  detach(port: number): void {
    this.#attached.delete(port)
  }

  /** The device on a port, whether or not the host has found it. */
  deviceAt(port: number): UsbDeviceIdentity | undefined {
    return this.#attached.get(port)?.device
  }

  /** Enables these ports: all devices leave and enumerate again. */
  apply(enabledPorts: ReadonlySet<number>): void {
    this.#foundAtMs = this.#foundFromNow()
    this.#enabledPorts = new Set(enabledPorts)
  }

  /** The hub loses its supply. At the next `apply` its devices are present at once: a computer boots more slowly than they enumerate. */
  powerOff(): void {
    this.#enabledPorts = undefined
  }

  /** Devices that the host sees now, by port. The host numbers enabled ports only. */
  hostDevices(): readonly HostDevice[] {
    const now = this.clock.now()
    if (now < this.#foundAtMs) return []
    const hostDevices: HostDevice[] = []
    let port = 0
    for (let physical = 1; physical <= HUB_PORT_COUNT; physical++) {
      if (this.#enabledPorts?.has(physical) !== true) continue
      port++
      const attached = this.#attached.get(physical)
      if (attached === undefined || now < attached.foundAtMs) continue
      const name = `${HUB_PREFIX}${port}`
      const { manufacturer, product, serialCode: serial } = attached.device
      hostDevices.push({ name, systemPath: `${SYSTEM_FOLDER}/${name}`, attributes: { manufacturer, product, serial } })
    }
    return hostDevices
  }

  #foundFromNow(): number {
    return this.clock.now() + (this.#enabledPorts === undefined ? 0 : ENUMERATION_MS)
  }
}
