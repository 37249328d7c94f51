import { spawnSync } from 'node:child_process'
import { closeSync, constants, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { SystemClock } from '@slotwire/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SlotwireProcess } from '../program/slotwire-process.testkit.ts'

const MKFIFO = 'mkfifo'
const clock = new SystemClock()
/** In which everything ends that is told to. */
const END_MS = 2000
/** What is started takes a busy machine its time. */
const SOON = { timeout: 30_000, interval: 5 }

vi.setConfig({ testTimeout: 60_000 })

let folder: string
let run: SlotwireProcess
let writer: number | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slotwire-stopped-'))
  writer = undefined
  write('module/sdbpk/version', '1.1.2\n')
  write('class/sdbp/slot3/rid', '1\0')
})
afterEach(async () => {
  await run.remove()
  if (writer !== undefined) closeSync(writer)
  rmSync(folder, { recursive: true })
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

/** Starts a program over a kernel that never answers to that file; resolves when it is being read. */
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
    // Nobody has it open for reading.
    return false
  }
}

describe('a start over a kernel that does not answer', () => {
  it.each([
    ['of a service, to its version', 'module/sdbpk/version', service],
    ['of a service, to what a module is', 'class/sdbp/slot3/vendor_product_id', service],
    ['of the power manager, to its version', 'module/sdbpk/version', powerManager],
  ])('%s, ends when it is told to stop', async (_, hung, words) => {
    await startOver(hung, words())
    const told = clock.now()
    run.child.kill('SIGTERM')
    const { code, errors } = await run.ended
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    expect(clock.now() - told).toBeLessThan(END_MS)
  })
})
