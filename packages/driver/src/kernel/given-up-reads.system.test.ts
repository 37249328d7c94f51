import { ChildProcess, spawnSync } from 'node:child_process'
import { open } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { ManualClock, SystemClock } from '@slotwire/core'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
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
  folder = temporaryFolder()
  spawnSync(MKFIFO, [join(folder, 'one'), join(folder, 'other')])
  files = new SystemFiles({ clock: new SystemClock(), processors: availableParallelism() })
})
afterEach(() => files.close())

const follow = (
  by: SystemFiles,
  name: string,
  { signal }: AbortController,
  onContent: (content: string) => void = () => undefined,
): Promise<void> => by.follow(join(folder, name), false, onContent, signal)

it('notifications are read one after the other, also while this process does something else', async () => {
  const heard: string[] = []
  const giveUp = new AbortController()
  const following = expect(follow(files, 'one', giveUp, (content) => heard.push(content))).rejects.toBeInstanceOf(ChildEnded)
  await files.list(folder)
  // A program that opens the file for writing waits for its reader; each notification has a file of its own.
  const next = 'exec 3> one; mkfifo next; mv next one; printf "0x01060$n\\0" >&3; exec 3>&-'
  const write = `for n in 1 2 103 3; do ${next}; done`
  expect(spawnSync('sh', ['-c', write], { cwd: folder, timeout: 10_000 }).status).toBe(0)
  await expect.poll(() => heard, SOON).toEqual(['0x010601\0', '0x010602\0', '0x010603\0'])
  giveUp.abort()
  await following
})

it('a file whose reads fail is read again after 1 ms, and after twice as long each time; then it is left to the caller', async () => {
  const failing = (failedBefore: boolean): Promise<void> =>
    files.follow(join(folder, 'missing'), failedBefore, () => undefined, new AbortController().signal)
  const clock = new SystemClock()
  await expect(failing(false)).rejects.toMatchObject({ syscall: 'open', errno: 2 })
  expect(clock.now()).toBeGreaterThan(127)
  await expect(failing(true)).rejects.toMatchObject({ errno: 2 })
})

it('a read continues while other reads are aborted by force', async () => {
  const giveUpAtLast = new AbortController()
  let ended: Promise<void> = Promise.resolve()
  const waiting = new Promise((resolve) => {
    ended = expect(follow(files, 'one', giveUpAtLast, resolve)).rejects.toBeInstanceOf(ChildEnded)
  })
  for (let round = 0; round < GIVEN_UP; round++) {
    const [before] = files.pids
    const giveUp = new AbortController()
    const other = expect(follow(files, 'other', giveUp)).rejects.toBeInstanceOf(ChildEnded)
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
  giveUpAtLast.abort()
  await ended
})

it('a process that does not end when it is killed is left behind, and another one reads', async () => {
  const clock = new ManualClock()
  const own = new SystemFiles({ clock, processors: 1 })
  const giveUp = new AbortController()
  const stuck = expect(follow(own, 'other', giveUp)).rejects.toBeInstanceOf(ChildEnded)
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
