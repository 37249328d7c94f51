/** Milliwatt per rail. */
export interface RailPower {
  readonly power3v3: number
  readonly power5v0: number
  readonly power12v: number
}

/** The answer of a power manager: whether the power is granted, and the shortage on each rail (in `weak` mode both at once). */
export interface PowerDecision {
  readonly granted: boolean
  readonly missing: RailPower
}

/** The port to the holder of the device's power budget; wire-protocol.md section 4. */
export interface PowerManager {
  /** May `slot` use this much from now on, in place of what it uses now? */
  request(slot: number, need: RailPower): Promise<PowerDecision>
  /** The grant has been applied (the module's descriptor shows it), or given back (the module is suspended). */
  done(slot: number, applied: boolean): Promise<void>
}
