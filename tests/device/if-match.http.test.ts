import { expect, it } from 'vitest'
import { describeDevice } from './device.testkit.ts'
import { outcome, send } from './lease.testkit.ts'

const OTHER = 'B'.repeat(64)

describeDevice('If-Match', (device) => {
  const io = device.module('io', 5)
  const bmc = device.module('bmc', 0)
  const set = (match: string) => send(device, `${io.path}/input/mode`, { pin: 1, mode: 'digital' }, { 'if-match': match })

  it.each([
    ['"{session}"', '200'],
    [' "{session}"  ', '200'],
    ['"B", "{session}"', '200'],
    ['"B" ,, "{session}",', '200'],
    ['*', '200'],
    ['W/"{session}"', '412 session-changed'],
    ['"B", W/"{session}"', '412 session-changed'],
    ['"B"', '412 session-changed'],
    ['""', '412 session-changed'],
    ['{session}', '400 malformed-request'],
    ['"{session}', '400 malformed-request'],
    ['"A" "B"', '400 malformed-request'],
    ['*, "B"', '400 malformed-request'],
    ['', '400 malformed-request'],
    [',', '400 malformed-request'],
  ])('%s on a write gets %s, and nothing is done unless it is 200', async (match, expected) => {
    const session = String(await io.session())
    device.bus.forget()
    expect(outcome(await set(match.replace('{session}', session)))).toBe(expected)
    expect(device.bus.exchanges(5).length > 0).toBe(expected === '200')
  })

  it.each([
    ['POST', 'io', 'reset', { reset: 'yes' }],
    ['POST', 'io', 'power-management', { config: Array.from({ length: 6 }, () => ({ rail: '5_volt', current_milliampere: 0 })) }],
    ['GET', 'bmc', 'watchdog/save', undefined],
    ['POST', 'bmc', 'hard_reset', { reset: 'yes' }],
  ] as const)('refuses %s %s %s of another session', async (method, service, path, body) => {
    const module = service === 'io' ? io : bmc
    const headers = { 'if-match': `"${OTHER}"`, 'content-type': 'application/json' }
    const answer = await device.send(method, `${module.path}/${path}`, body && JSON.stringify(body), headers)
    expect(outcome(answer)).toBe('412 session-changed')
  })

  it('is ignored on reads and on watchdog/alive', async () => {
    await bmc.set('watchdog', { timeout: 10_000 })
    for (const path of [`${io.path}/input/values`, `${io.path}/notification/1`, `${bmc.path}/watchdog/alive`, '/api/io/']) {
      expect((await device.get(path, { 'if-match': `"${OTHER}"` })).status, path).toBe(200)
    }
  })

  it('is judged when the turn of the write has come: a write that waited over a new session is refused', async () => {
    const before = await io.session()
    device.bus.hold(5)
    const first = set(`"${String(before)}"`)
    const second = set(`"${String(before)}"`)
    // The module fell to SUSPEND: it gets no heartbeat while it is held.
    await device.advance(1500)
    device.bus.release(5)
    await device.advance(200)
    // Over the kernel's files the first one may reach the module in SUSPEND.
    expect(['200', '500 module-failed']).toContain(outcome(await first))
    expect(outcome(await second)).toBe('412 session-changed')
    expect(await io.session()).not.toBe(before)
  })

  it('a power configuration that waited over a new session is in the state if the module has it', async () => {
    const before = await io.session()
    device.bus.hold(5)
    const first = set('*')
    const power = { rail: '5_volt', current_milliampere: 10 }
    const second = io.post('power-management', { config: Array.from({ length: 6 }, () => power) })
    await device.advance(1500)
    device.bus.release(5)
    await device.advance(200)
    await first
    expect((await second).status).toBe(200)
    const { body } = await device.get('/slotwire/state')
    const { modules } = body as { modules: { slot: number; session: string; state: { pins: { power: unknown }[] } }[] }
    const module = modules.find(({ slot }) => slot === 5)
    expect(module?.session).not.toBe(before)
    const { max_power_5v0: granted } = await io.read('descriptor')
    expect(module?.state.pins[0]?.power).toEqual(granted === 0 ? null : power)
  })
})
