import { readdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { ManualClock } from '@slotwire/core'
import { identityOf } from '@slotwire/storage'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { RecordingLog } from '../../../../packages/driver/src/rack/recording-log.testkit.ts'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { systemUser } from './audit-change.ts'
import { RETRY_MS, StateAccess } from './state-access.ts'

let folder: string
let clock: ManualClock
let log: RecordingLog
beforeEach(() => {
  folder = temporaryFolder()
  clock = new ManualClock()
  log = new RecordingLog()
})
afterEach(() => {
  expect(clock.pending).toBe(0)
})

const failure = (code: string) => Object.assign(new Error(`${code}: a reason, open '/secret'`), { code })
const open = () => new StateAccess({ folder, clock, log })

/** A disk that fails with `code` until it is `undefined`. */
function disk(code: string) {
  const made: string[] = []
  const state: { code: string | undefined } = { code }
  const step = (name: string) => () => {
    if (state.code !== undefined) throw failure(state.code)
    made.push(name)
  }
  return { made, state, step }
}

describe('StateAccess', () => {
  it.each(['ENOSPC', 'EDQUOT', 'EROFS'])(
    'tries a step that failed with %s every ten seconds, and saves nothing until it succeeds',
    async (code) => {
      const access = open()
      const { made, state, step } = disk(code)
      access.prepare(step('first'))
      access.prepare(step('second'))
      expect(access.warnings).toEqual([`state folder: nothing is saved (${code})`])
      expect(() => access.guard(() => made.push('too early'))).toThrow(code)
      expect(clock.pending).toBe(1)
      await clock.advance(RETRY_MS * 3)
      expect([made, log.linesOf('error')]).toEqual([
        [],
        [expect.objectContaining({ message: 'nothing can be saved in the state folder' })],
      ])
      state.code = undefined
      await clock.advance(RETRY_MS - 1)
      expect(made).toEqual([])
      await clock.advance(1)
      expect([made, access.warnings, log.linesOf('info').length]).toEqual([['first', 'second'], [], 1])
      access.guard(() => made.push('saved'))
      expect(made).toEqual(['first', 'second', 'saved'])
      access.close()
    },
  )

  it('takes the waiting steps before the next save when the disk can be written again', () => {
    const access = open()
    const { made, state, step } = disk('EROFS')
    access.prepare(step('first'))
    state.code = undefined
    access.guard(() => made.push('saved'))
    expect([made, clock.pending]).toEqual([['first', 'saved'], 0])
    access.close()
  })

  it('tries nothing again after the end', () => {
    const access = open()
    access.prepare(disk('EROFS').step('never'))
    access.close()
    expect(clock.pending).toBe(0)
  })

  it('warns after a save that found the disk full, until there is room', async () => {
    const access = open()
    const full = () => access.guard(disk('ENOSPC').step('never'))
    expect(full).toThrow('ENOSPC')
    expect(access.warnings).toHaveLength(1)
    await clock.advance(RETRY_MS)
    expect([access.warnings, readdirSync(folder)]).toEqual([[], ['lock']])
    access.close()
    expect(readdirSync(folder)).toEqual([])
  })

  it('refuses the start for every other error, and passes such an error of a save on', () => {
    const access = open()
    expect(() => access.prepare(disk('EACCES').step('never'))).toThrow('EACCES')
    access.close()
    const again = open()
    expect(() => again.guard(disk('EIO').step('never'))).toThrow('EIO')
    expect(again.warnings).toEqual([])
    again.close()
  })

  it('refuses the start while another process has the lock', () => {
    writeFileSync(join(folder, 'lock'), JSON.stringify(identityOf(process.pid)))
    expect(open).toThrow(`is in use by process ${process.pid}`)
  })
})

it('systemUser is the user who called sudo, not root', () => {
  expect(systemUser({ SUDO_USER: 'ada' })).toBe('ada')
  expect(systemUser({ SUDO_USER: '' })).toBe(userInfo().username)
  expect(systemUser({})).toBe(userInfo().username)
})
