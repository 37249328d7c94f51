import type { AnyCommand, SdbpError } from '@slotwire/sdbp'
import { InputStatus, OutputStatus, PowerStatus, setInputMode, setOutputState, setPowerConfig } from './wire.ts'

/** Statuses that every class has. */
const INVALID_COMMAND = 1
const WRONG_LENGTH = 2

/** Per class: what it means when the field of this name does not fit. */
const statusOfField: Readonly<Record<number, Readonly<Record<string, number>>>> = {
  [setInputMode.class]: {
    pin: InputStatus.pinOutOfRange,
    mode: InputStatus.invalidMode,
    trigger: InputStatus.invalidDirection,
    millivolt: InputStatus.invalidValue,
    debounceMs: InputStatus.invalidValue,
    state: InputStatus.invalidValue,
  },
  [setOutputState.class]: {
    pin: OutputStatus.pinOutOfRange,
    mode: OutputStatus.invalidMode,
    state: OutputStatus.invalidValue,
    prescaler: OutputStatus.invalidValue,
    timeOn: OutputStatus.invalidValue,
    period: OutputStatus.invalidValue,
  },
  [setPowerConfig.class]: { rail: PowerStatus.invalidRail, currentMilliampere: PowerStatus.invalidValue },
}

/** The status that refuses a request which cannot be read; wire-protocol.md section 2, "io module". */
export function statusOfInvalid(command: AnyCommand, error: SdbpError): number {
  if (error.fault === 'truncated' || error.fault === 'length') return WRONG_LENGTH
  const field = error.field?.split('.').at(-1) ?? ''
  return statusOfField[command.class]?.[field] ?? INVALID_COMMAND
}
