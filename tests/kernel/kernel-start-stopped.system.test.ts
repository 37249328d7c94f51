import { spawnSync } from 'node:child_process'
import { closeSync, constants, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SystemClock } from '@slotwire/core'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { SlotwireProcess } from '../program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../temporary-folder.testkit.ts'

const MKFIFO = 'mkfifo'
const clock = new SystemClock()
/** Time limit for a program to end. */
const END_MS = 2000
/** A busy machine needs time to start programs. */
const SOON = { timeout: 30_000, interval: 5 }

vi.setConfig({ testTimeout: 60_000 })

let folder: string
let run: SlotwireProcess
let writer: number | undefined
beforeEach(() => {
  folder = temporaryFolder({ prefix: 'slotwire-' })
  writer = undefined
  write('module/sdbpk/version', '1.1.2\n')
  write('class/sdbp/slot3/rid', '1\0')
})
afterEach(async () => {
  if (writer !== undefined) closeSync(writer)
})

const below = (path: string): string => join(folder, 'sys', path)

function write(path: string, content: string): void {
  mkdirSync(dirname(below(path)), { recursive: true })
  writeFileSync(below(path), content)
}

const sysRoot = (): string[] => ['--sys-root', join(folder, 'sys')]
const service = (): string[] => {
  const own = ['--port', '0', '--state', join(folder, 'state'), '--dev-root', join(folder, 'dev')]
  return ['serve', '--hardware', 'kernel', ...own, ...sysRoot()]
}
const powerManager = (): string[] => ['power-manager', '--socket', join(folder, 'power.socket'), ...sysRoot()]

/** Starts a program with a kernel file that never answers; resolves when the program reads it. */
async function startOver(hung: string, words: readonly string[]): Promise<void> {
  rmSync(below(hung), { force: true })
  spawnSync(MKFIFO, [below(hung)])
  run = new SlotwireProcess([...words])
  await expect.poll(() => isRead(hung), SOON).toBe(true)
}

function isRead(hung: string): boolean {
  try {
    writer = openSync(below(hung), constants.O_WRONLY | constants.O_NONBLOCK)
    return true
  } catch {
    // No process has it open for reading.
    return false
  }
}

it.each([
  ['of a service, at the driver version', 'module/sdbpk/version', service],
  ['of a service, at a module descriptor', 'class/sdbp/slot3/vendor_product_id', service],
  ['of the power manager, at the driver version', 'module/sdbpk/version', powerManager],
])('a start with a kernel that does not answer ends after SIGTERM: %s', async (_, hung, words) => {
  await startOver(hung, words())
  const stoppedMs = clock.now()
  run.child.kill('SIGTERM')
  const { code, errors } = await run.ended
  expect({ code, errors }).toEqual({ code: 0, errors: '' })
  expect(clock.now() - stoppedMs).toBeLessThan(END_MS)
})
