import { existsSync, linkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SystemClock } from '@slotwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PowerMode } from '../power/built-in-arbiter.ts'
import type { PowerManager } from '../power/power-budget.ts'
import { RecordingLog } from '../rack/recording-log.testkit.ts'
import { choosePowerManager } from './choose-power-manager.ts'
import { createPowerManagerClient } from './power-manager-client.ts'
import { PowerPeer } from './power-peer.testkit.ts'

const nothing = { power3v3: 0, power5v0: 0, power12v: 0 }
const clock = new SystemClock()

let peer: PowerPeer
let log: RecordingLog
let builtIn: PowerManager
let calls: string[]

beforeEach(() => {
  peer = new PowerPeer()
  log = new RecordingLog()
  calls = []
  builtIn = {
    request: async (slot) => {
      calls.push(`request ${slot}`)
      return { granted: true, missing: nothing }
    },
    done: async (slot, applied) => void calls.push(`done ${slot} ${applied}`),
  }
})

afterEach(() => peer.stop())

function chosen(named: boolean, socket = peer.socket, mode: PowerMode = 'strict'): PowerManager {
  return choosePowerManager({ socket, named, builtIn, mode, client: createPowerManagerClient({ socket, clock }), log })
}

describe('choosePowerManager with the default socket', () => {
  it('checks for the socket with each request: asks the built-in arbiter without one, the power manager with one', async () => {
    const manager = chosen(false)
    await manager.request(3, nothing)
    await manager.done(3, true)
    expect(calls).toEqual(['request 3', 'done 3 true'])
    await peer.listen()
    await manager.request(3, nothing)
    await manager.done(3, true)
    expect([calls.length, peer.received.length]).toEqual([2, 2])
    await peer.stop()
    await manager.request(5, nothing)
    expect(calls).toEqual(['request 3', 'done 3 true', 'request 5'])
  })

  it('logs each change once', async () => {
    const manager = chosen(false)
    await manager.request(3, nothing)
    await manager.request(3, nothing)
    await peer.listen()
    for (const slot of [3, 5]) {
      await manager.request(slot, nothing)
      await manager.done(slot, true)
    }
    expect(log.lines.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'info: no power manager has a socket here: using the built-in one',
      'info: using the power manager at the socket',
    ])
  })

  it('logs that the weak mode has no effect while a power manager is there', async () => {
    const manager = chosen(false, peer.socket, 'weak')
    await manager.request(3, nothing)
    expect(log.linesOf('warn')).toEqual([])
    await peer.listen()
    await manager.request(3, nothing)
    expect(log.linesOf('warn').map(({ message }) => message)).toEqual([
      'the weak power mode of this service has no effect: the power manager decides',
    ])
  })

  it('reports the end of a grant to the manager that gave it, even if the socket came or went meanwhile', async () => {
    const manager = chosen(false)
    await manager.request(3, nothing)
    await peer.listen()
    await manager.done(3, true)
    expect(calls).toEqual(['request 3', 'done 3 true'])
    await manager.request(5, nothing)
    rmSync(peer.socket)
    await manager.done(5, true)
    expect([calls.length, peer.received.length]).toEqual([2, 2])
  })

  it('fails on a socket without a listener instead of using a second budget', async () => {
    const killed = join(peer.folder, 'killed')
    const manager = chosen(false, killed)
    writeFileSync(killed, '')
    // A path without a socket.
    await manager.request(3, nothing)
    rmSync(killed)
    await peer.listen()
    const stale = await staleSocket(peer)
    await expect(chosen(false, stale).request(3, nothing)).rejects.toMatchObject({ code: 'power-manager-unreachable' })
  })
})

it('choosePowerManager with a socket from the settings asks that socket even while it is missing', async () => {
  const manager = chosen(true)
  await expect(manager.request(3, nothing)).rejects.toMatchObject({
    code: 'power-manager-unreachable',
    message: expect.stringContaining('(ENOENT)') as string,
  })
  expect(calls).toEqual([])
  await peer.listen()
  expect((await manager.request(3, nothing)).granted).toBe(true)
})

/** Leaves a socket file without a listener: a second name outlives the listener. */
async function staleSocket(of: PowerPeer): Promise<string> {
  const stale = join(of.folder, 'stale')
  linkSync(of.socket, stale)
  await of.stop()
  expect([existsSync(of.socket), existsSync(stale)]).toEqual([false, true])
  return stale
}
