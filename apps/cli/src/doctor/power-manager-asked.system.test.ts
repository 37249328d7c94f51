import { once } from 'node:events'
import { renameSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { SystemClock, silentLog } from '@slotwire/core'
import type { PowerDecision, PowerManager } from '@slotwire/driver'
import { type PowerManagerServer, powerManagerErrors, servePowerManager } from '@slotwire/driver/power-manager'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { powerManagerCheck } from './checks/check-power-manager.ts'
import { FakeInstallation } from './fake-installation.testkit.ts'
import { containing, matching } from './matchers.testkit.ts'
import type { ServingUnit } from './units/units-that-serve.ts'

const BMC = 'modules.noreya.tech/bmc'
const POWER = 'modules.noreya.tech/power'
const NONE = { power3v3: 0, power5v0: 0, power12v: 0 }
const clock = new SystemClock()

let device: FakeInstallation
let daemon: PowerManagerServer | undefined
let peer: Server | undefined
const sockets: Socket[] = []
beforeEach(() => {
  device = new FakeInstallation()
  device.plug(3)
})
afterEach(async () => {
  await daemon?.close()
  daemon = undefined
  for (const socket of sockets.splice(0)) socket.destroy()
  const closed = peer === undefined ? undefined : once(peer, 'close')
  peer?.close()
  await closed
  peer = undefined
  device.remove()
})

const socket = () => join(device.run, 'power.socket')
const look = (more: object = {}) => device.look(powerManagerCheck, more)

/** The power manager of `slotwire power-manager`, with another judgement; returns what came of its grants. */
async function judging(decide: () => Promise<PowerDecision>): Promise<(readonly [number, boolean])[]> {
  const ends: (readonly [number, boolean])[] = []
  const manager: PowerManager = {
    request: decide,
    done: async (slot, applied) => {
      ends.push([slot, applied])
    },
  }
  daemon = await servePowerManager({ socket: socket(), manager, clock, log: silentLog })
  return ends
}

describe('the power manager that listens', () => {
  it('is asked for more than there is, as an io module’s driver asks: it denies, and nothing has changed', async () => {
    const ends = await judging(() => Promise.resolve({ granted: false, missing: { ...NONE, power3v3: 1 } }))
    expect(await look()).toEqual([{ outcome: 'ok', found: `${socket()} answers` }])
    expect(ends).toEqual([])
  })

  it('gets back what it grants nevertheless', async () => {
    const ends = await judging(() => Promise.resolve({ granted: true, missing: NONE }))
    expect(await look()).toEqual([{ outcome: 'ok', found: `${socket()} answers` }])
    await expect.poll(() => ends).toEqual([[3, false]])
  })

  it('has nobody to ask what the supply gives', async () => {
    const error = powerManagerErrors.powerServiceNotUsable({ url: 'http://127.0.0.1:8001', reason: 'ECONNREFUSED' })
    await judging(() => Promise.reject(error))
    expect(await look()).toMatchObject([
      {
        outcome: 'failure',
        found: containing('the power service at http://127.0.0.1:8001 does not tell what the supply gives (ECONNREFUSED)'),
        remedy: containing('systemctl status slotwire-power '),
      },
    ])
  })

  it('is busy with another module once: it is asked again', async () => {
    let requests = 0
    await judging(() =>
      ++requests === 1
        ? Promise.reject(new Error('busy'))
        : Promise.resolve({ granted: false, missing: { ...NONE, power5v0: 1 } }),
    )
    expect(await look()).toMatchObject([{ outcome: 'ok' }])
  })

  it('stands still', async () => {
    peer = createServer((connection) => sockets.push(connection)).listen(socket())
    await once(peer, 'listening')
    expect(await look()).toMatchObject([
      {
        outcome: 'failure',
        found: containing('did not answer the request (nothing came within 900 ms)'),
        remedy: containing('systemctl restart slotwire-power-manager'),
      },
    ])
  })

  it('is asked for nothing while no io module is there', async () => {
    await judging(() => Promise.reject(new Error('asked')))
    device.attribute(3, 'vendor_product_id', `${BMC}\0`)
    expect(await look()).toMatchObject([{ outcome: 'ok', found: containing(`${socket()} accepts`) }])
  })

  it('is of no use to a service without io modules: nothing is said of it', async () => {
    await judging(() => Promise.reject(new Error('asked')))
    expect(await look({ services: ['bmc', 'power'] })).toEqual([])
  })
})

describe('no power manager', () => {
  const unit: ServingUnit = { name: 'slotwire-io.service', options: '', place: '', problem: undefined }

  it('is a failure where io modules are served, and the power module is left to another service', async () => {
    device.plug(1, { vendor_product_id: POWER })
    expect(await look({ services: ['io'], unit })).toMatchObject([
      {
        outcome: 'failure',
        found: `${socket()} does not exist, and the power module is left to another service: every power configuration is refused`,
        remedy: containing('systemctl start slotwire-power-manager'),
      },
    ])
    expect(await look({ services: ['io'] })).toMatchObject([
      { outcome: 'failure', remedy: containing('systemctl enable --now slotwire-power-manager') },
    ])
  })

  it('is all right where the service drives the power module itself', async () => {
    device.plug(1, { vendor_product_id: POWER })
    expect(await look({ services: ['io', 'power'] })).toMatchObject([{ outcome: 'ok' }])
  })

  it('is all right where there is no power module', async () => {
    expect(await look({ services: ['io'] })).toMatchObject([{ outcome: 'ok' }])
  })

  it('is made to come by removing what another one left: its unit stays away as long as anything is there', async () => {
    const left = createServer().listen(socket())
    await once(left, 'listening')
    // A process that is killed leaves its socket behind, as does one that does not find it any more.
    renameSync(socket(), `${socket()}.kept`)
    const closed = once(left, 'close')
    left.close()
    await closed
    renameSync(`${socket()}.kept`, socket())
    expect(await look({ unit })).toMatchObject([
      { outcome: 'failure', remedy: matching(/^Remove it: rm \S+ && systemctl start slotwire-power-manager\.$/) },
    ])
    const [finding] = await look()
    expect(finding?.remedy).toMatch(/^Remove it: rm \S+; /)
  })
})
