import type { Wiring } from '../circuit/wiring.ts'
import type { ComputeModule } from './compute-module.ts'
import type { Rails } from './rails.ts'
import type { UsbHub } from './usb-hub.ts'

/** What surrounds a module on the device: everything a firmware can reach beside its own pins and memory. */
export interface Board {
  /** Connectors to the outside world, one terminal per pin. */
  readonly wiring: Wiring
  /** The three supply rails: who draws what, and whether they are on. */
  readonly rails: Rails
  /** The USB hub with its eight ports and what hangs on them. */
  readonly usb: UsbHub
  /** The computer of the device itself: its load, and how it boots. */
  readonly computer: ComputeModule
  /** Restarts the whole device shortly after the present exchange; the reason goes to the log. */
  restartDevice(reason: string): void
}
