import { type Fault, garbage, hang, lostFrames } from '@slotwire/twin'
import { expect, it } from 'vitest'
import { describeDevice } from './device.testkit.ts'

/** 0.9 s without an answer, and the next heartbeat. */
const DEAD_WITHIN_MS = 1100
const BACK_WITHIN_MS = 4000
const faults: readonly (readonly [name: string, fault: Fault])[] = [
  ['hangs', hang()],
  ['loses all frames', lostFrames({ share: 1 })],
  ['sends garbage', garbage({ share: 1 })],
]
const config = Array.from({ length: 6 }, () => ({ rail: '5_volt', current_milliampere: 100 }))

describeDevice('a module that does not answer', (device) => {
  const [io, other] = [device.module('io', 5), device.module('io', 3)]

  it.each(faults)('is no usable module after its fail-safe time, until it answers: it %s', async (_name, fault) => {
    await device.until(io.set('power-management', { config }))
    await io.set('output/state', { pin: 5, state: 'high' })
    const [session, otherSession] = [await io.session(), await other.session()]
    const active = device.chassis.faults.inject(5, fault)
    await device.advance(DEAD_WITHIN_MS)
    expect([await io.session(), await other.session()]).toEqual([undefined, otherSession])
    for (const path of ['descriptor', 'notification/5', 'input/values']) {
      const { status, headers, body } = await io.get(path)
      expect([path, status, headers['slotwire-error']]).toEqual([path, 404, 'module-not-answering'])
      expect(body?.['message']).toMatch(/^the module in slot 5 has not answered for [12] s and is not usable: /)
    }
    const ready = await device.get('/slotwire/readyz')
    expect([ready.status, ready.text]).toEqual([200, expect.stringContaining('slot 5: the module has not answered for ')])
    const metrics = await device.service.inject('/slotwire/metrics')
    expect(metrics.payload).toContain('slotwire_slot_state{slot="5",state="hung"} 1')
    expect(device.journal.records().some(({ event, slot }) => event === 'hung' && slot === 5)).toBe(true)
    active?.clear()
    await device.advance(BACK_WITHIN_MS)
    expect(await io.session()).toMatch(/^[A-Z0-9]{64}$/)
    expect(await io.session()).not.toBe(session)
    expect((await io.post('output/state', { pin: 5, state: 'high' })).headers['slotwire-error']).toBe(
      'power-configuration-missing',
    )
    expect((await device.get('/slotwire/readyz')).body).toEqual({ status: 'success' })
  })

  it('ends its requests together, within a second', async () => {
    const hung = device.chassis.faults.inject(5, hang())
    const beganMs = device.clock.now()
    const ended: number[] = []
    const writes = Array.from({ length: 40 }, (_, index) =>
      io.post('input/mode', { pin: (index % 6) + 1, mode: 'digital' }).finally(() => ended.push(device.clock.now() - beganMs)),
    )
    const answers = await device.until(Promise.all(writes))
    expect(new Set(answers.map(({ status, headers }) => `${status} ${String(headers['slotwire-error'])}`))).toEqual(
      new Set(['500 module-hung']),
    )
    expect(Math.max(...ended)).toBeLessThanOrEqual(DEAD_WITHIN_MS)
    expect(Math.max(...ended) - Math.min(...ended)).toBe(0)
    hung?.clear()
  })

  it('still has its share of the power budget, and leaves the power configurations of others possible', async () => {
    const of = (current_milliampere: number) => ({ config: config.map(() => ({ rail: '12_volt', current_milliampere })) })
    await device.until(io.set('power-management', of(200)))
    device.chassis.faults.inject(5, lostFrames({ share: 1 }))
    await device.advance(5000)
    expect((await device.until(other.post('power-management', of(250)))).body).toMatchObject({ status: 'denied' })
    await device.until(other.set('power-management', of(60)))
  })

  it('does not make power configurations impossible when it is the power module', async () => {
    device.chassis.faults.inject(1, hang())
    await device.advance(5000)
    await device.until(other.set('power-management', { config }))
  })

  it('is in its initial state in each new session, if half of the frames are lost', async () => {
    await device.until(io.set('power-management', { config }))
    await io.set('output/state', { pin: 5, state: 'high' })
    let known = await io.session()
    const active = device.chassis.faults.inject(5, lostFrames({ share: 0.5 }))
    const refusals: unknown[] = []
    for (let round = 0; round < 140; round++) {
      if (round === 60) active?.clear()
      await device.advance(500)
      const session = await io.session()
      if (session === known || session === undefined) continue
      known = session
      const { headers } = await device.until(io.post('output/state', { pin: 2, state: 'high' }))
      refusals.push(headers['slotwire-error'])
    }
    expect(refusals).toContain('power-configuration-missing')
    expect(refusals).not.toContain(undefined)
  })
})
