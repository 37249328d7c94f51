import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SystemClock, silentLog } from '@slotwire/core'
import { servePowerManager } from '@slotwire/driver/power-manager'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UsageError } from '../terminal/usage-error.ts'
import { powerManagerOf } from './power-manager-option.ts'

const clock = new SystemClock()
const none = { power3v3: 0, power5v0: 0, power12v: 0 }
const missing = { ...none, power12v: 7 }
/** The built-in power manager grants what the one at the socket denies. */
const builtIn = { request: async () => ({ granted: true, missing: none }), done: async () => undefined }
const denying = { request: async () => ({ granted: false, missing }), done: async () => undefined }

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'slotwire-power-'))))
afterEach(() => rmSync(folder, { recursive: true }))

describe('--power-manager', () => {
  it('sends requests only to the power manager at the socket', async () => {
    const socket = join(folder, 'p')
    const asked = powerManagerOf({ powerManager: socket, powerMode: 'strict', clock, log: silentLog })(builtIn)
    await expect(asked.request(3, none)).rejects.toMatchObject({ code: 'power-manager-unreachable' })
    const server = await servePowerManager({ socket, manager: denying, clock, log: silentLog })
    expect(await asked.request(3, none)).toEqual({ granted: false, missing })
    await server.close()
  })

  it('refuses a path too long for a socket: the system would truncate it', () => {
    const powerManager = `/${'x'.repeat(107)}`
    expect(() => powerManagerOf({ powerManager, powerMode: 'strict', clock, log: silentLog })).toThrow(UsageError)
  })
})
