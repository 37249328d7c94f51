import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { orElse, type WallTime } from '@slotwire/core'
import { lastStoredBoot } from '@slotwire/events'
import { DurableFile } from '@slotwire/storage'
import { isUnwritable, type StateAccess } from './state-access.ts'

const MS_PER_SECOND = 1000

/**
 * The number of this start of the process, from 1: higher than before, and than that of every record in the history. A device that has its
 * identity but no number was restored, and had higher ones: it continues with the date in seconds. So does a start that cannot store its number
 * now; it is stored as soon as possible.
 */
export function nextBoot(state: StateAccess, wallTime: WallTime): number {
  const file = new DurableFile(join(state.folder, 'boot'))
  const stored = numberIn(file)
  const dateSeconds = Math.floor(wallTime() / MS_PER_SECOND)
  const isRestored = stored === 0 && existsSync(join(state.folder, 'machine-id'))
  let boot = Math.max(stored + 1, lastStoredBoot(state.folder) + 1, isRestored ? dateSeconds : 0)
  try {
    state.guard(() => file.write(`${boot}\n`))
  } catch (error) {
    if (!isUnwritable(error)) throw error
    boot = Math.max(boot, dateSeconds)
    // Another process may have started meanwhile, and have a higher one.
    state.prepare(() => {
      if (numberIn(file) < boot) file.write(`${boot}\n`)
    })
  }
  return boot
}

/** 0 for a missing or damaged file. */
function numberIn(file: DurableFile): number {
  const text = orElse(undefined, () => file.read()) ?? ''
  return /^[1-9]\d{0,11}\n$/.test(text) ? Number(text) : 0
}
