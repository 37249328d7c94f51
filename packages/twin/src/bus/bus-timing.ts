/** How long the bus takes; twin.md "Bus". */
export interface BusTiming {
  /** Time for one transfer of `frameSize` bytes at `sclkKhz`, in ms. */
  transferMs(frameSize: number, sclkKhz: number): number
  /** Time a module needs from the operation frame to its ready pulse, in ms. */
  readonly latencyMs: number
}

/** Takes no time at all. */
export const instantBus: BusTiming = { transferMs: () => 0, latencyMs: 0 }

/** Takes the time of the real bus. */
export const timedBus: BusTiming = { transferMs: (frameSize, sclkKhz) => (frameSize * 8) / sclkKhz, latencyMs: 0.3 }

export const busTimings = { instant: instantBus, timed: timedBus } as const
/** `instant` or `timed`. */
export type BusMode = keyof typeof busTimings
