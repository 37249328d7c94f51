import { ClientError } from '@slotwire/client'
import type { ModuleClientOf } from '../store/device-types.ts'
import type { PwmSetting } from './pin-state.ts'

/** What the user wants: a frequency, and the part of the time that the pin is high, in percent. */
export interface Wish {
  readonly frequencyHz: number | undefined
  readonly dutyPercent: number | undefined
}

/** The nearest possible setting, with the signal that it makes; or why no setting is possible. */
export type Nearest =
  | { readonly setting: PwmSetting; readonly frequencyHz: number; readonly duty: number; readonly isExact: boolean }
  | { readonly problem: string }

const WHOLE = 100
/** Differences below this part are those of the numbers' format. */
const EXACT = 1e-9

/** What the client would send for a wish. */
export function nearestTo(
  { frequencyHz = Number.NaN, dutyPercent = Number.NaN }: Wish,
  { nearestPwm, signalOf }: Pick<ModuleClientOf<'io'>, 'nearestPwm' | 'signalOf'>,
): Nearest {
  try {
    const wanted = { frequencyHz, duty: dutyPercent / WHOLE }
    const setting = nearestPwm(wanted)
    const made = signalOf(setting)
    const isExact = Math.abs(made.frequencyHz / frequencyHz - 1) < EXACT && Math.abs(made.duty - wanted.duty) < EXACT
    return { setting, ...made, isExact }
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    return { problem: error.message }
  }
}
