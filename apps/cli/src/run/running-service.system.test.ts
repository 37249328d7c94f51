import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { identityOf } from '@slotwire/storage'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { notifyRunningService } from './running-service.ts'

/** Owner of the folder, and a living process of another user. */
const [OWNER, STRANGER] = process.getuid?.() === 0 ? [65_534, process.pid] : [process.getuid?.() ?? 0, 1]

let state: string
let service: ChildProcess
let signalled: (readonly [number, string])[]
beforeEach(async () => {
  state = temporaryFolder()
  chownSync(state, OWNER, process.getuid?.() === 0 ? OWNER : (process.getgid?.() ?? 0))
  signalled = []
  service = spawn('/bin/cat', { stdio: ['pipe', 'ignore', 'ignore'], uid: OWNER })
  await once(service, 'spawn')
})
afterEach(async () => {
  service.stdin?.end()
  await once(service, 'exit')
})

const notify = (pid: number, isRoot: boolean) => {
  writeFileSync(join(state, 'lock'), JSON.stringify(identityOf(pid)))
  return notifyRunningService(state, { isRoot, kill: (...signal) => signalled.push(signal) })
}

describe('notifyRunningService', () => {
  it('sends SIGHUP to the service, also as root', () => {
    const pid = service.pid ?? 0
    expect([notify(pid, false), notify(pid, true)]).toEqual(['notified', 'notified'])
    expect(signalled).toEqual([
      [pid, 'SIGHUP'],
      [pid, 'SIGHUP'],
    ])
  })

  it("sends no signal to another user's process that the folder's owner wrote into the lock", () => {
    expect(notify(STRANGER, true)).toBe('not-allowed')
    expect(signalled).toEqual([])
  })

  it('reports that no service uses the folder', () =>
    expect(notifyRunningService(state, { isRoot: true, kill: (...signal) => signalled.push(signal) })).toBe('not-running'))
})
