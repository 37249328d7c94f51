import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SystemClock } from '@slotwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Check } from './check.ts'
import { type CheckResult, runChecks } from './check-process.ts'
import { FakeInstallation } from './fake-installation.testkit.ts'
import { matching } from './matchers.testkit.ts'

/** Does what the name of a check says; a thread that waits for ever stands for a call that does not come back. */
const PROGRAM = `
  const deeds = {
    answer: () => process.send([{ outcome: 'ok', found: String(process.pid) }]),
    hang: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
    crash: () => process.exit(1),
    babble: () => process.send({ outcome: 'ok' }),
    report: () => process.send([{ outcome: 'ok', found: process.env.UV_THREADPOOL_SIZE }]),
  }
  process.on('message', ({ check }) => deeds[check]())
  process.send('ready')`

let device: FakeInstallation
let folder: string
beforeEach(() => {
  device = new FakeInstallation()
  folder = mkdtempSync(join(tmpdir(), 'slotwire doctor '))
})
afterEach(() => {
  device.remove()
  rmSync(folder, { recursive: true })
})

function run(names: readonly string[], text = PROGRAM): Promise<readonly CheckResult[]> {
  const program = join(folder, 'program.mjs')
  writeFileSync(program, text)
  const checks = names.map(
    (name): Check => ({ name, group: 'State', isForHardware: false, subject: () => `the ${name}`, run: () => [] }),
  )
  const installation = device.installation()
  const tasks = checks.map((check) => ({ check, installation }))
  return runChecks(tasks, { clock: new SystemClock(), program: pathToFileURL(program), deadlineMs: 700 })
}

const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}

describe('the process of the checks', () => {
  it('answers one after the other, and is gone at the end', async () => {
    const results = await run(['answer', 'answer'])
    const [first, second] = results.map(({ findings }) => findings[0]?.found)
    expect(first).toBe(second)
    await expect.poll(() => isGone(Number(first))).toBe(true)
  })

  it.each([
    ['hang', 'does not come back within 0.7 s: the hang'],
    ['crash', 'looking at it failed: the crash'],
    ['babble', 'looking at it failed: the babble'],
  ])('may %s: that check fails, another process does the rest, and none is left', async (deed, found) => {
    const results = await run(['answer', deed, 'answer'])
    expect(results[1]?.findings).toMatchObject([{ outcome: 'failure', found, remedy: matching(/\.$/) }])
    const pids = [results[0], results[2]].map((result) => Number(result?.findings[0]?.found))
    expect(pids[0]).not.toBe(pids[1])
    await expect.poll(() => pids.every(isGone)).toBe(true)
  })

  it('has threads enough for files that hang', async () => {
    expect(await run(['report'])).toMatchObject([{ findings: [{ found: '16' }] }])
  })

  it('that cannot begin is told at once', async () => {
    await expect(run(['answer'], 'process.exit(1)')).rejects.toThrow('could not be started')
  })
})
