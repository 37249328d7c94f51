import type { Wiring } from '../circuit/wiring.ts'
import type { ComputeModule } from './compute-module.ts'
import type { Rails } from './rails.ts'
import type { UsbHub } from './usb-hub.ts'

/** The surroundings of a module on the device: everything that a firmware can reach beside its own pins and memory. */
export interface Board {
  /** Connectors to the outside world, one terminal per pin. */
  readonly wiring: Wiring
  /** The three supply rails: current of each slot, and whether the rails are on. */
  readonly rails: Rails
  /** The USB hub with its eight ports and the devices on them. */
  readonly usb: UsbHub
  /** The computer of the device: its load, and how it boots. */
  readonly computer: ComputeModule
  /** Restarts the whole device shortly after the current exchange; logs the reason. */
  restartDevice(reason: string): void
}
