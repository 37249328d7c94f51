import type { Control } from '@slotwire/contract'
import { isRecord } from '@slotwire/core'
import { FAN_MODES } from './limits.ts'

/** The firmware controls the fan. */
const AUTOMATIC = 'auto'

/** The mode of the fan. */
export const powerControls: readonly Control[] = [
  {
    path: 'fan/mode',
    words: [AUTOMATIC, ...FAN_MODES.map(String)],
    isComplete: true,
    help: 'Speed of the fan in percent, or auto: the firmware controls it.',
    endpoint: 'setFan',
    input: (word) => (word === AUTOMATIC ? { fan_forced: false, fan_mode: 0 } : { fan_forced: true, fan_mode: Number(word) }),
    read: (state) => {
      const fan = isRecord(state) ? state['fan'] : undefined
      if (!isRecord(fan)) return undefined
      return fan['fan_forced'] === true ? String(fan['fan_mode']) : AUTOMATIC
    },
  },
]
