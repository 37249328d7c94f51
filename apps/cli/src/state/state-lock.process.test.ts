import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { identityOf } from '@slotwire/storage'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockState } from './state-lock.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slotwire-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** The identity of a process that lived a moment ago. */
async function deadProcess() {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] })
  await once(child, 'spawn')
  const identity = identityOf(child.pid as number)
  child.kill('SIGKILL')
  await once(child, 'exit')
  return identity
}

const leaveLock = (identity: object) => writeFileSync(join(folder, 'lock'), JSON.stringify(identity))

describe('the lock of a state folder', () => {
  it('is refused to a second, naming the first', () => {
    lockState(folder)
    expect(() => lockState(folder)).toThrow(`is in use by process ${process.pid}: stop it, or choose another with --state <dir>`)
  })

  it('is free again after its release, and leaves nothing behind', () => {
    lockState(folder).release()
    expect(readdirSync(folder)).toEqual([])
    lockState(folder)
    expect(readdirSync(folder)).toEqual(['lock'])
  })

  it('of a killed process is taken over at once', async () => {
    leaveLock(await deadProcess())
    lockState(folder)
    expect(() => lockState(folder)).toThrow(`process ${process.pid}`)
    expect(readdirSync(folder)).toEqual(['lock'])
  })

  it('of a killed process that nobody has buried yet is taken over', async () => {
    // The shell's child is killed while the shell does not wait for it: a zombie, until the shell itself ends.
    const shell = spawn('sh', ['-c', 'sleep 60 & echo $!; exec cat'], { stdio: ['pipe', 'pipe', 'ignore'] })
    const [line] = (await once(shell.stdout.setEncoding('utf8'), 'data')) as [string]
    const identity = identityOf(Number(line))
    leaveLock(identity)
    expect(() => lockState(folder)).toThrow(`process ${identity.pid}`)
    process.kill(identity.pid, 'SIGKILL')
    await expect.poll(() => identityOf(identity.pid).started, { interval: 1 }).toBe('')
    lockState(folder)
    shell.stdin.end()
    await once(shell, 'exit')
  })

  it('of a process whose number was given away again is taken over', () => {
    leaveLock({ ...identityOf(process.pid), started: '1' })
    lockState(folder)
  })

  it('from before the machine was started anew is taken over', () => {
    leaveLock({ ...identityOf(process.pid), boot: 'another' })
    lockState(folder)
  })

  it('that was never written whole is taken over', () => {
    writeFileSync(join(folder, 'lock'), '{"pid":')
    lockState(folder)
  })

  it('that cannot be read is left where it is', () => {
    mkdirSync(join(folder, 'lock'))
    expect(() => lockState(folder)).toThrow(/the lock .*lock cannot be read .*: choose another folder with --state <dir>/)
    expect(readdirSync(folder)).toEqual(['lock'])
  })

  it('can be read by every user, so that nobody takes a living one for a dead one', () => {
    lockState(folder)
    expect(statSync(join(folder, 'lock')).mode & 0o777).toBe(0o644)
  })

  it('is given up without a word where it cannot be removed any more', () => {
    const lock = lockState(folder)
    rmSync(join(folder, 'lock'))
    mkdirSync(join(folder, 'lock'))
    lock.release()
    expect(readdirSync(folder)).toEqual(['lock'])
  })
})
