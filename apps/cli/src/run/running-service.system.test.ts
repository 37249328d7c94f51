import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { identityOf } from '@slotwire/storage'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { tellRunningService } from './running-service.ts'

/** Whose folder it is, and a living process of somebody else. */
const [OWNER, STRANGER] = process.getuid?.() === 0 ? [65_534, process.pid] : [process.getuid?.() ?? 0, 1]

let state: string
let service: ChildProcess
let signalled: (readonly [number, string])[]
beforeEach(async () => {
  state = mkdtempSync(join(tmpdir(), 'slotwire running '))
  chownSync(state, OWNER, process.getuid?.() === 0 ? OWNER : (process.getgid?.() ?? 0))
  signalled = []
  service = spawn('/bin/cat', { stdio: ['pipe', 'ignore', 'ignore'], uid: OWNER })
  await once(service, 'spawn')
})
afterEach(async () => {
  service.stdin?.end()
  await once(service, 'exit')
  rmSync(state, { recursive: true, force: true })
})

const tell = (pid: number, isRoot: boolean) => {
  writeFileSync(join(state, 'lock'), JSON.stringify(identityOf(pid)))
  return tellRunningService(state, { isRoot, kill: (...signal) => signalled.push(signal) })
}

describe('the running service', () => {
  it('is told by SIGHUP, by root as well', () => {
    const pid = service.pid ?? 0
    expect([tell(pid, false), tell(pid, true)]).toEqual(['told', 'told'])
    expect(signalled).toEqual([
      [pid, 'SIGHUP'],
      [pid, 'SIGHUP'],
    ])
  })

  it('is not what the owner of the folder makes root take for it: a process of another user gets no signal', () => {
    expect(tell(STRANGER, true)).toBe('not-allowed')
    expect(signalled).toEqual([])
  })

  it('is none when nobody has the folder', () => {
    expect(tellRunningService(state, { isRoot: true, kill: (...signal) => signalled.push(signal) })).toBe('not-running')
  })
})
