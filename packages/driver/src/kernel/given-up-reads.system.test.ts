import { ChildProcess, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { ManualClock, SystemClock } from '@slotwire/core'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ChildEnded } from './kernel-files.ts'
import { READER_END_MS } from './reader-process.ts'
import { SystemFiles } from './system-files.ts'

const MKFIFO = 'mkfifo'
/** More than the number of processes that may end before one request fails. */
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

it('a read continues while other reads are aborted by force', async () => {
  const waiting = files.readOnce(join(folder, 'one'), new AbortController().signal)
  for (let round = 0; round < GIVEN_UP; round++) {
    const [before] = files.pids
    const giveUp = new AbortController()
    const other = expect(files.readOnce(join(folder, 'other'), giveUp.signal)).rejects.toBeInstanceOf(ChildEnded)
    // Use the new process now: otherwise the next read waits for the end of the old one.
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

it('a process that does not end when it is killed is left behind, and another one reads', async () => {
  const clock = new ManualClock()
  const own = new SystemFiles({ clock, processors: 1 })
  const giveUp = new AbortController()
  const stuck = expect(own.readOnce(join(folder, 'other'), giveUp.signal)).rejects.toBeInstanceOf(ChildEnded)
  await own.list(folder)
  const [pid = 0] = own.pids
  // As if it were in a call that the kernel does not interrupt.
  const killing = vi.spyOn(ChildProcess.prototype, 'kill').mockImplementation(() => process.kill(pid, 'SIGSTOP'))
  try {
    giveUp.abort()
    await stuck
  } finally {
    killing.mockRestore()
  }
  const listed = own.list(folder)
  await clock.advance(READER_END_MS)
  expect(await listed).toHaveLength(2)
  expect(own.pids).toContain(pid)
  expect(own.pids).toHaveLength(2)
  process.kill(pid, 'SIGKILL')
  await expect.poll(() => own.pids, SOON).not.toContain(pid)
  expect(await own.list(folder)).toHaveLength(2)
  await own.close()
  expect(clock.pending).toBe(0)
})
