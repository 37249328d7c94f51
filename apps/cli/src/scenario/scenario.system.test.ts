import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { type ProcessEnd, SlotwireProcess } from '../../../../tests/program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'

const PASSES = `seed: 7
steps:
  - connect: { pin: 3/1, to: { source: 24V, ohms: 10k } }
  - at: 60s
    expect: { pin: 3/1, volts: 23..25 }
`
const LASTS = `steps:
  - at: 1h
    expect: { pin: 5/3, volts: 1..2 }
`

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
  for (const [name, text] of Object.entries({ passes: PASSES, lasts: LASTS })) write(`${name}.yaml`, text)
})

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text)
}

function read(name: string): string {
  return readFileSync(join(folder, name), 'utf8')
}

function begin(...args: string[]): SlotwireProcess {
  return new SlotwireProcess(['scenario', ...args], { cwd: folder, environment: { NO_COLOR: '1' } })
}

function scenario(...args: string[]): Promise<ProcessEnd> {
  return begin(...args).ended
}

describe('slotwire scenario run', { timeout: 60_000 }, () => {
  it('ends with an error if the recording cannot be written', async () => {
    const { code, errors } = await scenario('run', 'lasts.yaml', '--record', '/dev/full')
    expect([code, errors]).toEqual([2, expect.stringContaining('slotwire: /dev/full cannot be written (ENOSPC')])
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('stops at %s, and prints the result of each scenario', async (signal) => {
    write('short.yaml', 'steps:\n  - short: 3/2\n')
    const run = begin('run', '--real-time', 'short.yaml', 'lasts.yaml', 'passes.yaml', '--junit', 'results.xml')
    await run.firstLine()
    run.child.kill(signal)
    const { code, output } = await run.ended
    expect(code).toBe(130)
    expect(output).toContain('it was stopped')
    expect(output).toMatch(/\n3 scenarios: 1 passed, 0 failed, 1 stopped, 1 not run\n$/)
    expect(read('results.xml')).toContain('<skipped message="it was stopped"/>')
  })
})
