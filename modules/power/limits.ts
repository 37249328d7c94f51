/** Bounds of the settable current limits in mA, inclusive; spec "Power service" rule 1 gives them as exclusive bounds. */
export const powerLimits = {
  limit_3v3: { min: 1001, max: 5949, unit: 'mA' },
  limit_5v0: { min: 1001, max: 4949, unit: 'mA' },
  limit_12v: { min: 101, max: 2399, unit: 'mA' },
} as const

/** The highest limits: those of a module in its initial state. */
export const INITIAL_LIMITS: Readonly<Record<keyof typeof powerLimits, number>> = {
  limit_3v3: powerLimits.limit_3v3.max,
  limit_5v0: powerLimits.limit_5v0.max,
  limit_12v: powerLimits.limit_12v.max,
}

/** Fan modes in percent; spec "Power service" rule 2. */
export const FAN_MODES = [0, 20, 40, 60, 80, 100] as const
export type FanMode = (typeof FAN_MODES)[number]
