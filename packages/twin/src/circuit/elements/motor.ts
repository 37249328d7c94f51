import { inMs, inOhms, inVolts } from '../../settings/quantities.ts'
import type { Armature } from '../memory/reactive.ts'
import { inductiveArmature, resistiveArmature } from '../memory/reactive.ts'
import { defineElement } from './element.ts'

export interface MotorOptions {
  /** Voltage by current while it runs. */
  readonly ohms: number
  /** How many times the running current it draws while it stands; default 5. */
  readonly startUpMultiple?: number
  /** Time constant with which the start-up current falls; default 200. */
  readonly startUpMs?: number
  /** Of its winding; default 0.002, 0 for none. */
  readonly henry?: number
  /** What its other end is at; default 0, ground. */
  readonly volts?: number
}

/** So many times its resistance lies across a winding with inductance: its losses. */
const LOSSES_MULTIPLE = 1000
const MS_PER_SECOND = 1000

/**
 * A dc motor: draws a multiple of its running current while it stands, less the faster it turns. Its rotor gives back what is in it:
 * a motor that turns is a source.
 */
export const motor = defineElement<MotorOptions, 'ohms'>({
  kind: 'motor',
  summary: 'a dc motor: draws more while it starts, and is a source while it turns',
  primary: 'ohms',
  fields: {
    ohms: inOhms('voltage by current while it runs', { min: 1, max: 100_000 }),
    startUpMultiple: { type: 'number', meaning: 'start-up current by running current', unit: '', min: 1.1, max: 50, default: 5 },
    startUpMs: inMs('time constant with which the start-up current falls', { min: 1, max: 60_000, default: 200 }),
    henry: { type: 'number', meaning: 'inductance of its winding', unit: 'H', min: 0, max: 1, default: 0.002 },
    volts: inVolts('what its other end is at', { default: 0 }),
  },
  description: ({ ohms, startUpMultiple, startUpMs, volts }) =>
    `motor of ${ohms} Ω to ${volts} V, ${startUpMultiple} times the current at first, for ${startUpMs} ms`,
  branch: (values) => {
    const { ohms, henry } = values
    if (henry === 0) return resistiveArmature(armature(values, ohms, 0))
    const acrossOhms = ohms * LOSSES_MULTIPLE
    // Together with what lies across they are `ohms` while it runs, and the multiple less while it stands.
    const running = 1 / (1 / ohms - 1 / acrossOhms)
    return inductiveArmature({ ...armature(values, running, 1 / acrossOhms), henry, acrossOhms })
  },
})

function armature(values: Required<MotorOptions>, runningOhms: number, acrossSiemens: number): Armature {
  const { ohms, startUpMultiple, startUpMs, volts } = values
  const windingOhms = 1 / (startUpMultiple / ohms - acrossSiemens)
  const frictionOhms = runningOhms - windingOhms
  // On a stiff source the rotor sees winding and friction in parallel.
  const rotorFarad = (startUpMs / MS_PER_SECOND) * (1 / windingOhms + 1 / frictionOhms)
  return { windingOhms, frictionOhms, rotorFarad, volts }
}
