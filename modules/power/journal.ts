import { type BodyOf, type ReplyOf } from '@slotwire/contract'
import { moduleJournal } from '@slotwire/service'
import { powerContract } from './contract.ts'
import { INITIAL_LIMITS } from './limits.ts'

type Endpoints = (typeof powerContract)['endpoints']
const UNKNOWN = 'unknown' as const
type Unknown = typeof UNKNOWN

/** Settings with the fields of the bodies that make them. */
interface PowerState {
  readonly limits: BodyOf<Endpoints['setLimits']> | Unknown
  readonly fan: BodyOf<Endpoints['setFan']> | Unknown
  readonly fan_rpm: BodyOf<Endpoints['setFanRpm']> | Unknown
  readonly protection: ReplyOf<Endpoints['getProtectionLog']> | Unknown
}

const initial: Omit<PowerState, 'protection'> = {
  limits: INITIAL_LIMITS,
  fan: { fan_forced: false, fan_mode: 0 },
  fan_rpm: { measurement_enabled: false },
}

/** What the journal shows of a power module: limits, fan, and every protection counter that rises. */
export const powerJournal = moduleJournal(powerContract, {
  // The counters survive resets and restarts.
  initial: (before: PowerState | undefined): PowerState => ({ ...initial, protection: before?.protection ?? UNKNOWN }),
  unknown: { limits: UNKNOWN, fan: UNKNOWN, fan_rpm: UNKNOWN },
  writes: {
    setLimits: (_state, { body, reply }) => ({ state: { limits: reply === undefined ? UNKNOWN : body } }),
    setFan: (_state, { body, reply }) => ({ state: { fan: reply === undefined ? UNKNOWN : body } }),
    setFanRpm: (_state, { body, reply }) => ({ state: { fan_rpm: reply === undefined ? UNKNOWN : body } }),
  },
  readings: {
    getProtectionLog: { change: protectionChange, isWanted: () => true },
    // A module may take some of the limits and refuse others.
    getStats: {
      change: (_state, { limit_3v3, limit_5v0, limit_12v }) => ({ state: { limits: { limit_3v3, limit_5v0, limit_12v } } }),
      isWanted: () => true,
    },
    getFan: {
      change: (_state, { fan_forced, fan_setting_mode }) => ({ state: { fan: { fan_forced, fan_mode: fan_setting_mode } } }),
      isWanted: ({ fan }) => fan === UNKNOWN,
    },
    getFanRpm: {
      change: (_state, { enabled }) => ({ state: { fan_rpm: { measurement_enabled: enabled } } }),
      isWanted: ({ fan_rpm }) => fan_rpm === UNKNOWN,
    },
  },
})

/** One record for each counter that rose. The sum is no counter of the module. */
function protectionChange({ protection: before }: PowerState, protection: ReplyOf<Endpoints['getProtectionLog']>) {
  const { opp_protection_cnt: _, ...counters } = protection
  const records = Object.keys(counters).flatMap((counter) => {
    const [from, to] = before === UNKNOWN ? [0, 0] : [countOf(before, counter), countOf(protection, counter)]
    return to > from ? [{ kind: 'protection' as const, counter, from, to }] : []
  })
  return { state: { protection }, records }
}

function countOf(counters: Readonly<Record<string, number>>, name: string): number {
  return counters[name] ?? 0
}
