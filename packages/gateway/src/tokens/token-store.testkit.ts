import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromIsoTime, isoTime, ManualClock, systemRandom } from '@slotwire/core'
import { onTestFinished } from 'vitest'
import { RecordingLog } from '../../../driver/src/rack/recording-log.testkit.ts'
import { TokenStore, type TokenWish } from './token-store.ts'

export const START = '2026-11-21T12:00:00.000Z'

/** A folder of its own for a test. */
export function stateFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slotwire state '))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A store on a folder, with a clock that stands still; `more` are further processes on the same folder. */
export function tokenStore(folder = stateFolder()) {
  const clock = new ManualClock()
  const log = new RecordingLog()
  const wallTime = (): number => fromIsoTime(START) + clock.now()
  const open = (): TokenStore => new TokenStore({ folder, clock, wallTime, random: systemRandom, log })
  return { folder, clock, log, wallTime, store: open(), more: open, dateIn: (ms: number) => isoTime(wallTime() + ms) }
}

/** A token for everything, but for what is said. */
export function wish(name: string, more: Partial<TokenWish> = {}): TokenWish {
  return { name, readOnly: false, services: undefined, expires: undefined, ...more }
}
