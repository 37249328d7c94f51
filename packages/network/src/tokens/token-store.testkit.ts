import { fromIsoTime, isoTime, ManualClock, systemRandom } from '@slotwire/core'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { RecordingLog } from '../../../driver/src/rack/recording-log.testkit.ts'
import { type NewTokenOptions, TokenStore } from './token-store.ts'

export const START = '2026-11-21T12:00:00.000Z'

/** A store in a folder, with a manual clock; `more` opens the store again, as another process would. */
export function tokenStore(folder = temporaryFolder()) {
  const clock = new ManualClock()
  const log = new RecordingLog()
  const wallTime = (): number => fromIsoTime(START) + clock.now()
  const open = (): TokenStore => new TokenStore({ folder, clock, wallTime, random: systemRandom, log })
  return { folder, clock, log, wallTime, store: open(), more: open, dateIn: (ms: number) => isoTime(wallTime() + ms) }
}

/** Options of a token with all rights; `more` overrides them. */
export function tokenOptions(name: string, more: Partial<NewTokenOptions> = {}): NewTokenOptions {
  return { name, readOnly: false, services: undefined, expires: undefined, ...more }
}
