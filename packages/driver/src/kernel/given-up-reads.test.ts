import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { SystemClock } from '@slotwire/core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ChildEnded } from './kernel-files.ts'
import { SystemFiles } from './system-files.ts'

const MKFIFO = 'mkfifo'
/** More than a request is given to processes that end of themselves. */
const GIVEN_UP = 5
const SOON = { timeout: 15_000, interval: 5 }

let folder: string
let files: SystemFiles
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slotwire-reads-'))
  spawnSync(MKFIFO, [join(folder, 'one'), join(folder, 'other')])
  files = new SystemFiles({ clock: new SystemClock(), processors: availableParallelism() })
})
afterEach(async () => {
  await files.close()
  rmSync(folder, { recursive: true })
})

it('a read waits on, however often another one is given up by force', async () => {
  const waiting = files.readOnce(join(folder, 'one'), new AbortController().signal)
  for (let round = 0; round < GIVEN_UP; round++) {
    const [before] = files.pids
    const giveUp = new AbortController()
    const other = expect(files.readOnce(join(folder, 'other'), giveUp.signal)).rejects.toBeInstanceOf(ChildEnded)
    // It lives: the next is asked of a process, not of the end of the one before.
    expect(await files.list(folder)).toHaveLength(2)
    giveUp.abort()
    await other
    await expect.poll(() => files.pids[0] ?? before, SOON).not.toBe(before)
  }
  const writer = await open(join(folder, 'one'), 'r+')
  await writer.write('0x0106\0')
  expect(await waiting).toBe('0x0106\0')
  await writer.close()
})
