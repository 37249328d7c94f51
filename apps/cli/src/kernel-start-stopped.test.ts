import { spawnSync } from 'node:child_process'
import { closeSync, constants, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { SystemClock } from '@slotwire/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SlotwireProcess } from './serve-process.testkit.ts'

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

/** Starts a server over a kernel that never answers to that file; resolves when it is being read. */
async function startOver(hung: string): Promise<void> {
  rmSync(below(hung), { force: true })
  spawnSync(MKFIFO, [below(hung)])
  const roots = ['--sys-root', join(folder, 'sys'), '--dev-root', join(folder, 'dev')]
  run = new SlotwireProcess(['serve', '--hardware', 'kernel', '--port', '0', '--state', join(folder, 'state'), ...roots])
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
    ['to its version', 'module/sdbpk/version'],
    ['to what a module is', 'class/sdbp/slot3/vendor_product_id'],
  ])('%s, ends when it is told to stop', async (_, hung) => {
    await startOver(hung)
    const told = clock.now()
    run.child.kill('SIGTERM')
    const { code, errors } = await run.ended
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    expect(clock.now() - told).toBeLessThan(END_MS)
  })
})
