import { renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ManualClock } from '@slotwire/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { runCommand, testContext } from '../command.testkit.ts'
import { scenarioCommand } from './scenario-command.ts'

const passes = (name: string): string => `name: ${name}\nsteps:\n  - ambient: 30C\n`

let folder: string
let file: string
beforeEach(() => {
  folder = temporaryFolder()
  file = join(folder, 'a.yaml')
  writeFileSync(file, passes('first'))
})

/** Starts `slotwire scenario run --watch`. Its clock stands still until the test advances it. */
function watch(...words: string[]) {
  const clock = new ManualClock()
  const { context, written } = testContext(folder, 0)
  let progress = ''
  let stop: () => void = () => undefined
  const command = scenarioCommand({
    ...context,
    clock,
    terminal: { write: (text) => void (progress += text) },
    stopped: () =>
      new Promise((resolve) => {
        stop = () => resolve('SIGINT')
      }),
  })
  const ended = runCommand(command, ['run', '--watch', ...(words.length === 0 ? [file] : words)])
  /** Lets time pass until the output or the errors have this. */
  const until = (what: RegExp) =>
    expect
      .poll(
        async () => {
          await clock.advance(200)
          return `${written.printed}${written.hinted}${progress}`
        },
        { timeout: 10_000 },
      )
      .toMatch(what)
  const end = async (): Promise<number> => {
    stop()
    await ended
    return written.exitCode
  }
  return { written, clock, until, end, ended }
}

describe('slotwire scenario run --watch', () => {
  it.each<[string, () => void]>([
    ['is written again', () => writeFileSync(file, passes('second'))],
    [
      'is replaced, as many editors do',
      () => {
        writeFileSync(join(folder, 'new'), passes('second'))
        renameSync(join(folder, 'new'), file)
      },
    ],
    [
      'is removed and made again',
      () => {
        unlinkSync(file)
        writeFileSync(file, passes('second'))
      },
    ],
  ])('runs again when the file %s, and ends with Ctrl-C', async (_, change) => {
    const { written, until, end } = watch()
    await until(/watching 1 file: a change runs again, Ctrl-C ends\n/)
    expect(written.printed).toMatch(/^passed {2}first /)
    change()
    await until(/passed {2}second /)
    expect(await end()).toBe(130)
  })

  it('prints the mistakes of a broken file, and runs when it is right again', async () => {
    const { written, until, end } = watch()
    await until(/watching/)
    writeFileSync(file, 'steps:\n  - shrot: 3/2\n')
    await until(/a\.yaml:2:5: there is no step shrot, did you mean short\?/)
    unlinkSync(file)
    await until(/a\.yaml: cannot be read: ENOENT/)
    writeFileSync(file, passes('third'))
    await until(/passed {2}third /)
    expect(written.printed.match(/passed/g)).toHaveLength(2)
    expect(await end()).toBe(130)
  })

  it('begins with a broken file, and with a missing one', async () => {
    writeFileSync(file, 'steps: 3\n')
    const missing = join(folder, 'b.yaml')
    const { until, end } = watch(file, missing)
    await until(/b\.yaml: cannot be read.*\nwatching 2 files/)
    writeFileSync(file, passes('first'))
    writeFileSync(missing, passes('other'))
    await until(/2 scenarios: 2 passed, 0 failed\n/)
    expect(await end()).toBe(130)
  })

  it('does not run again while nothing changes', async () => {
    const { written, until, clock, end } = watch()
    await until(/watching/)
    await clock.advance(60_000)
    expect(written.printed.match(/passed/g)).toHaveLength(1)
    expect(await end()).toBe(130)
  })

  it('stops a running scenario when its file changes, and runs the new one', async () => {
    writeFileSync(file, 'name: long\nsteps:\n  - at: 1h\n    short: 3/2\n')
    const { written, until, end } = watch(file, '--real-time')
    await until(/ 1\/1 {2}long /)
    writeFileSync(file, passes('short'))
    await until(/passed {2}short /)
    expect(written.printed).toMatch(/^FAILED {2}long .*\n +a file has changed; 1 step did not run\n/)
    expect(await end()).toBe(130)
  })

  it('removes the pictures of a failure that is fixed', async () => {
    writeFileSync(file, 'steps:\n  - at: 1s\n    expect: { pin: 5/3, volts: 9 }\n')
    const { written, until, end } = watch(file, '--report', join(folder, 'reports'))
    await until(/a-line3\.svg/)
    await until(/watching/)
    writeFileSync(file, passes('fixed'))
    await until(/passed {2}fixed /)
    expect(() => unlinkSync(join(folder, 'reports', 'a-line3.svg'))).toThrow('ENOENT')
    expect(written.printed).toContain('FAILED')
    expect(await end()).toBe(130)
  })

  it('refuses what it cannot read again', () =>
    expect(watch('/dev/null').ended).rejects.toThrow('is not a regular file: --watch needs files that it can read again'))
})
