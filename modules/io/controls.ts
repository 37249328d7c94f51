import type { Control } from '@slotwire/contract'
import { isRecord } from '@slotwire/core'
import { ioContract } from './contract.ts'
import { PIN_COUNT } from './limits.ts'

const { setOutputState, setInputMode } = ioContract.endpoints

/** What each pin drives, and its mode. */
export const ioControls: readonly Control[] = Array.from({ length: PIN_COUNT }, (_, index) => index + 1).flatMap((pin) => [
  {
    path: `pin/${pin}`,
    words: setOutputState.body.properties.state.enum,
    isComplete: true,
    help: `Level that pin ${pin} drives; without a value it is no output.`,
    endpoint: 'setOutputState',
    input: (state: string) => ({ pin, state }),
    read: (state: unknown) => {
      const output = pinOf(state, pin)['output']
      return isRecord(output) && typeof output['state'] === 'string' ? output['state'] : undefined
    },
  },
  {
    path: `pin/${pin}/mode`,
    words: setInputMode.body.properties.mode.enum,
    isComplete: false,
    help: `Mode of pin ${pin}: analog, digital, output or pwm.`,
    endpoint: 'setInputMode',
    input: (mode: string) => ({ pin, mode }),
    read: (state: unknown) => {
      const mode = pinOf(state, pin)['mode']
      return typeof mode === 'string' ? mode : undefined
    },
  },
])

function pinOf(state: unknown, pin: number): Readonly<Record<string, unknown>> {
  const pins: unknown = isRecord(state) ? state['pins'] : undefined
  const setting: unknown = Array.isArray(pins) ? pins[pin - 1] : undefined
  return isRecord(setting) ? setting : {}
}
