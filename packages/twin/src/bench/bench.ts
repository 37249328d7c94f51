import type { Chassis } from '../board/chassis.ts'
import type { Rail } from '../board/rails.ts'
import type { UsbDeviceIdentity } from '../board/usb-hub.ts'
import type { Connection } from '../circuit/connection.ts'
import type { Element } from '../circuit/elements/element.ts'
import type { Fault } from '../faults/fault.ts'
import type { ActiveFault } from '../faults/slot-faults.ts'
import type { ModuleTypes } from '../module/firmware.ts'
import type { ModuleMode } from '../module/virtual-module.ts'
import type { Settings } from '../settings/field.ts'
import type { PinTrace, TraceOptions } from './pin-trace.ts'

export interface BenchOptions {
  readonly chassis: Chassis
  /** What can be plugged. The types say which pins can be wired, and which slots have a USB port. */
  readonly moduleTypes: ModuleTypes
}

/** A pin as somebody at the bench has it in hand. It stays when its module leaves. */
export interface BenchPin {
  readonly slot: number
  readonly pin: number
  /** `slot/pin`, as in `3/1`. */
  readonly name: string
  /** Volts now. */
  readonly volts: number
  /** Ampere that the module delivers now; negative while it sinks. */
  readonly amps: number
  readonly connections: readonly Connection[]
  /** Hangs an element between the pin and ground. Throws `RangeError` where there is no room. */
  connect<Change extends object>(element: Element<Change>): Connection<Change>
  /** Shorts the pin to ground. */
  short(): Connection
  /** Makes two pins one node. Throws `RangeError` for itself, a pin of another device, and where there is no room. */
  wireTo(other: BenchPin): Connection
  /** Takes away all that hangs on it; returns how many connections that were. */
  disconnect(): number
  /** From now on remembers what its voltage does, until it is told to stop. Throws `RangeError` for a limit that is none. */
  record(options?: TraceOptions): PinTrace
}

/** A slot as somebody at the bench sees it. */
export interface BenchSlot {
  readonly slot: number
  /** Name of the module type in it; undefined while it is empty. */
  readonly moduleType: string | undefined
  /** What the module does now; undefined while the slot is empty. */
  readonly mode: ModuleMode | undefined
  /** Throws `RangeError` for an unknown type and a taken slot. */
  plug(moduleType: string): void
  /** Throws `RangeError` for an empty slot. */
  unplug(): void
  /** FACTORY_RESET, which no REST resource reaches. Rejects with `RangeError`, `LinkError` or `SdbpError`. */
  factoryReset(): Promise<void>
  /** Names of what can be pressed at the module, and of what can break in it. */
  readonly actions: readonly string[]
  readonly defects: readonly string[]
  /** Presses what the module has: `shutdown_switch`. Throws `RangeError` for what it does not have. */
  press(action: string): void
  /** What can be seen and heard at the module, by name: plain data. */
  observe(): Readonly<Record<string, unknown>>
  /** What the module has for settings, as they are now; empty where it has none. */
  readonly settings: Settings
  /** Changes settings of the module at once: `{ probe1Celsius: 30 }`. Throws `RangeError` for what does not fit; then nothing has changed. */
  set(change: object): void
  /** Lets something break that this type of module alone has (`fan_blocked`), for `forMs` or until it is cleared. */
  break(defect: string, options?: { readonly forMs?: number | undefined }): ActiveFault
  /** Lets something go wrong between host and module, or in its storage. Undefined: it happened, and there is nothing to clear. */
  inject(fault: Fault, options?: { readonly forMs?: number | undefined }): ActiveFault | undefined
}

/** One of the three supply rails. */
export interface BenchRail {
  readonly rail: Rail
  /** What the modules and the load draw now, in mA; 0 while it is off. */
  readonly milliampere: number
  readonly isOn: boolean
  /** What somebody at the bench draws beside the modules, in mA: 0…20000. */
  loadMilliampere: number
  /** How far a fault of the supply moves its voltage, in mV: -15000…15000. */
  offsetMillivolt: number
}

export interface BenchUsb {
  /** The computer of the device's own port: whether a USB host is on it, which its bootloader waits for. */
  hostConnected: boolean
  /** Devices by the slot whose port they hang on. */
  readonly devices: readonly { readonly slot: number; readonly device: UsbDeviceIdentity }[]
  /** Throws `RangeError` for a slot without a port, and a port that is taken. */
  attach(slot: number, device: UsbDeviceIdentity): void
  /** Throws `RangeError` where nothing hangs. */
  detach(slot: number): void
}

/** All that is around the modules of a virtual device, and what can be done to them from outside; twin.md "Bench and scenarios". */
export interface Bench {
  /** Throws `RangeError` outside slots 0…7, and for a pin that no module type has. */
  pin(slot: number, pin: number): BenchPin
  slot(slot: number): BenchSlot
  readonly slots: readonly BenchSlot[]
  rail(rail: Rail): BenchRail
  readonly usb: BenchUsb
  readonly connections: readonly Connection[]
  /** Throws `RangeError` for a connection that is not there, or not any more. */
  connection(id: string): Connection
  /** In the order in which they began. */
  readonly faults: readonly ActiveFault[]
  /** Ends all faults, or those of one slot; returns how many. */
  clearFaults(slot?: number): number
  /** In degrees Celsius: -40…125. */
  ambientCelsius: number
  /** Heat that the device's computer gives off, in watt: 0…50. */
  computerWatt: number
  /** Takes the supply of the whole device away for a moment: everything restarts. */
  restart(): void
}
