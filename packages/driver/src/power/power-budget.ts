import { defineErrors } from '@slotwire/core'

export const RAILS = ['3v3', '5v0', '12v'] as const
export type Rail = (typeof RAILS)[number]
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
