import type { Clock, HostDevice } from '@slotwire/core'

/** Ports of the hub, numbered from 1. */
export const HUB_PORT_COUNT = 8
/** How long the host takes to find a device that was plugged in or came back. */
export const ENUMERATION_MS = 300
/** Names that the host gives to devices behind the hub, which is on the first port of bus 1; wire-protocol.md "bmc module". */
const BEHIND_HUB = '1-1.'
const SYSTEM_FOLDER = '/sys/bus/usb/devices'

/** A device that can be attached to the hub. */
export interface UsbDeviceIdentity {
  readonly manufacturer: string
  readonly product: string
  readonly serialCode: string
}

interface Attached {
  readonly device: UsbDeviceIdentity
  readonly foundAtMs: number
}

/** The virtual USB bus: hub ports 1…8 with what hangs on them. The bmc firmware switches ports; the host sees the rest. */
export class UsbHub {
  readonly #clock: Clock
  readonly #attached = new Map<number, Attached>()
  /** Undefined while the hub has no supply. */
  #enabledPorts: ReadonlySet<number> | undefined
  #foundAtMs = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Plugs a device in; the host finds it a little later. Throws `RangeError` for a port that does not exist or is taken. */
  attach(port: number, device: UsbDeviceIdentity): void {
    if (!Number.isInteger(port) || port < 1 || port > HUB_PORT_COUNT)
      throw new RangeError(`USB port ${port}: 1…${HUB_PORT_COUNT}`)
    if (this.#attached.has(port)) throw new RangeError(`USB port ${port} is taken: detach its device first`)
    this.#attached.set(port, { device, foundAtMs: this.#foundFromNow() })
  }

  detach(port: number): void {
    this.#attached.delete(port)
  }

  /** What hangs on a port, found by the host or not. */
  deviceAt(port: number): UsbDeviceIdentity | undefined {
    return this.#attached.get(port)?.device
  }

  /** Applies which ports are on: all devices leave and enumerate anew. */
  apply(enabledPorts: ReadonlySet<number>): void {
    this.#foundAtMs = this.#foundFromNow()
    this.#enabledPorts = new Set(enabledPorts)
  }

  /** The hub loses its supply. What hangs on it at the next `apply` is there at once: a computer boots for longer than devices take. */
  powerOff(): void {
    this.#enabledPorts = undefined
  }

  /** What the host finds now, by port, with the numbers that it gives to the ports (those that are off are left out). */
  hostDevices(): readonly HostDevice[] {
    const now = this.#clock.now()
    if (now < this.#foundAtMs) return []
    const found: HostDevice[] = []
    let port = 0
    for (let physical = 1; physical <= HUB_PORT_COUNT; physical++) {
      if (this.#enabledPorts?.has(physical) !== true) continue
      port++
      const attached = this.#attached.get(physical)
      if (attached === undefined || now < attached.foundAtMs) continue
      const name = `${BEHIND_HUB}${port}`
      const { manufacturer, product, serialCode: serial } = attached.device
      found.push({ name, systemPath: `${SYSTEM_FOLDER}/${name}`, attributes: { manufacturer, product, serial } })
    }
    return found
  }

  #foundFromNow(): number {
    return this.#clock.now() + (this.#enabledPorts === undefined ? 0 : ENUMERATION_MS)
  }
}
