import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { identityOf } from '@slotwire/storage'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { lockState } from './state-access.ts'

let folder: string
beforeEach(() => (folder = temporaryFolder()))

/** The identity of a process that has just ended. */
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
  it('is refused to a second process, naming the first', () => {
    lockState(folder)
    expect(() => lockState(folder)).toThrow(`is in use by process ${process.pid}: stop it, or choose another with --state <dir>`)
  })

  it('is free again after its release, and leaves no file', () => {
    lockState(folder).release()
    expect(readdirSync(folder)).toEqual([])
    lockState(folder)
    expect(readdirSync(folder)).toEqual(['lock'])
  })

  it('is replaced if its process was killed', async () => {
    leaveLock(await deadProcess())
    lockState(folder)
    expect(() => lockState(folder)).toThrow(`process ${process.pid}`)
    expect(readdirSync(folder)).toEqual(['lock'])
  })

  it('is replaced if its process was killed and is still a zombie', async () => {
    // The shell's child is killed while the shell does not wait for it: a zombie until the shell ends.
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

  it('is replaced if another process now has its PID', () => {
    leaveLock({ ...identityOf(process.pid), started: '1' })
    lockState(folder)
  })

  it('is replaced if it is from before a reboot', () => {
    leaveLock({ ...identityOf(process.pid), boot: 'another' })
    lockState(folder)
  })

  it('is replaced if it was only partly written', () => {
    writeFileSync(join(folder, 'lock'), '{"pid":')
    lockState(folder)
  })

  it('is kept if it is unreadable', () => {
    mkdirSync(join(folder, 'lock'))
    expect(() => lockState(folder)).toThrow(/the lock .*lock cannot be read .*: choose another folder with --state <dir>/)
    expect(readdirSync(folder)).toEqual(['lock'])
  })

  it('is readable for every user, so that no process mistakes a living owner for a dead one', () => {
    lockState(folder)
    expect(statSync(join(folder, 'lock')).mode & 0o777).toBe(0o644)
  })

  it('is released silently if it cannot be removed', () => {
    const lock = lockState(folder)
    rmSync(join(folder, 'lock'))
    mkdirSync(join(folder, 'lock'))
    lock.release()
    expect(readdirSync(folder)).toEqual(['lock'])
  })
})
