import { defineErrors, perRail, RAILS, type Rail } from '@slotwire/core'

/** Milliwatt per rail. */
export type RailPower = Readonly<Record<`power${Rail}`, number>>

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

/** Errors between the driver and the holder of the power budget. */
export const powerBudgetErrors = defineErrors({
  powerManagerSilent: {
    status: 500,
    message: 'the power manager did not decide within {milliseconds} ms',
    retryable: true,
  },
  powerNotConfirmed: {
    status: 500,
    message: '{reason}; the module has been suspended and its outputs are off: configure it again',
    example: { reason: 'the power manager did not record that its grant is used' },
    retryable: true,
  },
  powerFiguresNotRead: {
    status: 500,
    message:
      'the power needs of the modules cannot be read ({reason}), so the power budget is unknown: try again; if it fails again, unplug that module and plug it in again, or check the kernel log ("dmesg | grep -i sdbp")',
    retryable: true,
  },
  powerTurnLate: {
    status: 503,
    message: 'slot {slot} waited more than {milliseconds} ms for the power configuration of another module: try again later',
    retryable: true,
  },
})

/** What the supply can provide: milliwatt per rail and in total, and each rail's efficiency in percent (0…100). */
export type PowerSupply = Readonly<Record<`source_${Rail | 'total'}` | `efficiency_factor_${Rail}`, number>>

export const NO_POWER: RailPower = perRail('power', () => 0)

/**
 * Milliwatt missing on each rail for `sum`, rounded up; 0 where it fits. If only the total is exceeded, the shortage is on the rail that
 * the request `adds` most to (wire-protocol.md section 4, behaviour.md "io").
 */
export function shortageOf(sum: RailPower, supply: PowerSupply, adds: RailPower): RailPower {
  const missing = perRail('power', (rail) => shortBy(sum[`power${rail}`], supply[`source_${rail}`]))
  if (isShort(missing)) return missing
  return { ...missing, [largestOf(adds)]: shortBy(consumptionHundredths(sum, supply) / 100, supply.source_total) }
}

export function isShort(missing: RailPower): boolean {
  return RAILS.some((rail) => missing[`power${rail}`] > 0)
}

/** Consumption with dissipation, P × (2 − efficiency), in hundredths of a milliwatt: whole percents give whole numbers. */
function consumptionHundredths(sum: RailPower, supply: PowerSupply): number {
  return RAILS.reduce((total, rail) => total + sum[`power${rail}`] * (200 - supply[`efficiency_factor_${rail}`]), 0)
}

function shortBy(need: number, available: number): number {
  return Math.max(0, Math.ceil(need - available))
}

function largestOf(power: RailPower): keyof RailPower {
  if (power.power12v >= power.power5v0 && power.power12v >= power.power3v3) return 'power12v'
  return power.power5v0 >= power.power3v3 ? 'power5v0' : 'power3v3'
}
