import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { SystemClock, silentLog } from '@slotwire/core'
import type { PowerDecision } from '@slotwire/driver'
import { powerManagerErrors, servePowerManager } from '@slotwire/driver/power-manager'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Service } from './check.ts'
import { FakeMachine, STRANGER, text } from './doctor.testkit.ts'
import { checkPowerManager } from './hardware-checks.ts'

const NONE = { power3v3: 0, power5v0: 0, power12v: 0 }
const DENIED = { granted: false, missing: { ...NONE, power3v3: 1 } }
const POWER = 'modules.noreya.tech/power'

let machine: FakeMachine
let socket: string
beforeEach(() => {
  machine = new FakeMachine()
  machine.plug(3)
  socket = machine.at('run/power.socket')
})

const look = (more: Partial<Service> = {}) =>
  machine.look(checkPowerManager, { service: machine.service({ powerManager: socket, ...more }) })

/** Serves a power manager with these decisions. Resolves with the ends of its grants. */
async function manage(...decisions: readonly (PowerDecision | Error)[]): Promise<(readonly [number, boolean])[]> {
  const ends: (readonly [number, boolean])[] = []
  let requests = 0
  const manager = {
    request: async () => {
      const decision = decisions[Math.min(requests++, decisions.length - 1)] ?? DENIED
      if (decision instanceof Error) throw decision
      return decision
    },
    done: async (slot: number, applied: boolean) => void ends.push([slot, applied]),
  }
  const daemon = await servePowerManager({ socket, manager, clock: new SystemClock(), log: silentLog })
  onTestFinished(() => daemon.close())
  return ends
}

describe('checkPowerManager', () => {
  it.each<readonly [string, readonly (PowerDecision | Error)[], string, string]>([
    ['denies more than there is', [DENIED], 'ok', 'power.socket answers'],
    ['is busy once', [new Error('busy'), DENIED], 'ok', 'power.socket answers'],
    ['is busy for long', [new Error('busy')], 'failure', 'did not decide about the request'],
    [
      'cannot read the supply',
      [powerManagerErrors.powerServiceNotUsable({ url: 'http://127.0.0.1:8001', reason: 'ECONNREFUSED' })],
      'failure',
      'cannot read the limits of the supply from the power service at http://127.0.0.1:8001 (ECONNREFUSED)',
    ],
  ])('judges a power manager that %s', async (_, decisions, outcome, found) => {
    const ends = await manage(...decisions)
    expect(await look()).toMatchObject([{ outcome, found: text(found) }])
    expect(ends).toEqual([])
  })

  it('releases power that the power manager grants', async () => {
    const ends = await manage({ granted: true, missing: NONE })
    expect(await look()).toMatchObject([{ outcome: 'ok' }])
    await expect.poll(() => ends).toEqual([[3, false]])
  })

  it('fails if the power manager hangs', async () => {
    const sockets: Socket[] = []
    const server = createServer((connection) => sockets.push(connection)).listen(socket)
    await once(server, 'listening')
    expect(await look()).toMatchObject([{ outcome: 'failure', found: text('did not answer'), remedy: text('systemctl status ') }])
    for (const connection of sockets) connection.destroy()
    server.close()
  })

  it('fails if nothing listens at the socket, and does not suggest to remove it', async () => {
    machine.write('run/power.socket', '', 0o666)
    const [finding] = await look()
    expect(finding).toMatchObject({ outcome: 'failure', found: text('cannot be reached') })
    expect(finding?.remedy).not.toMatch(/\brm\b/)
  })

  it('fails if the user may not use the socket', async () => {
    await manage(DENIED)
    chmodSync(socket, 0o660)
    const service = machine.service({ powerManager: socket })
    expect(await machine.look(checkPowerManager, { service, user: STRANGER })).toMatchObject([
      { outcome: 'failure', remedy: text(`chown stranger ${socket}`) },
    ])
  })

  it('sends no request without a module that needs power, or for a service without such modules', async () => {
    await manage(new Error('asked'))
    machine.write('sys/class/sdbp/slot3/vendor_product_id', 'modules.noreya.tech/bmc\0')
    expect(await look()).toMatchObject([{ outcome: 'ok', found: text('no module here needs it') }])
    expect(await look({ services: ['bmc', 'power'] })).toEqual([])
  })

  it.each<readonly [string, Partial<Service>, string, string]>([
    ['fails if the option names it', {}, 'failure', 'systemctl enable --now slotwire-power-manager; or omit --power-manager.'],
    ['is ok if the service drives the power module', { powerManager: undefined }, 'ok', ''],
    [
      'fails if another service drives the power module',
      { powerManager: undefined, services: ['io'] },
      'failure',
      'systemctl enable --now slotwire-power-manager.',
    ],
  ])('%s, when the socket is missing', async (_, more, outcome, remedy) => {
    machine.plug(1, { vendor_product_id: POWER })
    expect(await look(more)).toMatchObject([{ outcome, ...(remedy === '' ? {} : { remedy: text(remedy) }) }])
  })
})
