import type { Clock } from '@slotwire/core'

/** A module's end of its bus, as the host's controller sees it. */
export interface ModuleEnd {
  /** Makes one full-duplex transfer: takes the host's frame, returns the module's frame of the same size. */
  transfer(hostFrame: Uint8Array): Uint8Array
  /** Called at each pulse of the interrupt line. */
  onPulse: () => void
}

/** Durations on the bus; twin.md "Bus". */
export interface BusTiming {
  /** Duration of one transfer of `frameSize` bytes at `sclkKhz`, in ms. */
  transferMs(frameSize: number, sclkKhz: number): number
  /** Time from the operation frame to the module's ready pulse, in ms. */
  readonly latencyMs: number
}

/** All durations are 0. */
export const instantBus: BusTiming = { transferMs: () => 0, latencyMs: 0 }

/** Durations of the real bus. */
export const timedBus: BusTiming = { transferMs: (frameSize, sclkKhz) => (frameSize * 8) / sclkKhz, latencyMs: 0.3 }

export const busTimings = { instant: instantBus, timed: timedBus } as const
/** `instant` or `timed`. */
export type BusMode = keyof typeof busTimings

/** One full-duplex transfer as it was on the bus, faults included. */
export interface Transfer {
  /** Twin time, in ms. */
  readonly atMs: number
  readonly slot: number
  readonly host: Uint8Array
  readonly module: Uint8Array
}

/** A module's end whose transfers are reported. */
export function tapped(
  module: ModuleEnd,
  { slot, clock, onTransfer }: { slot: number; clock: Clock; onTransfer: (transfer: Transfer) => void },
): ModuleEnd {
  const tap: ModuleEnd = {
    onPulse: () => undefined,
    transfer: (hostFrame) => {
      const moduleFrame = module.transfer(hostFrame)
      onTransfer({ atMs: clock.now(), slot, host: hostFrame, module: moduleFrame })
      return moduleFrame
    },
  }
  module.onPulse = () => tap.onPulse()
  return tap
}
