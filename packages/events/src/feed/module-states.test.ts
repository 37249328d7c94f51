import { ManualClock } from '@slotwire/core'
import * as services from '@slotwire/modules/services'
import { expect, it } from 'vitest'
import { FakeSlot } from '../../../service/src/fake-slot.testkit.ts'
import { ModuleStates } from './module-states.ts'

const { io } = services
const SETS_MODE = { endpoint: 'setInputMode', request: { body: { pin: 1, mode: 'digital' }, parameters: {} } }

const [FIRST, SECOND, THIRD] = ['2026-11-24T10:00:00.000Z', '2026-11-24T10:00:05.000Z', '2026-11-24T10:00:10.000Z'] as const

function known(service = io) {
  const slot = new FakeSlot(3, service.vendorProductId)
  const states = new ModuleStates(new ManualClock(), () => undefined)
  states.arrived(slot, service, 'A', FIRST)
  const written = (session: string): void => states.written(slot, { ...SETS_MODE, session, reply: { status: 'success' } })
  return { slot, states, written, stateOf: () => states.of([slot])[0]?.state }
}

it('a write that began in an earlier session does not change the state', () => {
  const { slot, stateOf, written } = known()
  const before = stateOf()
  written('B'.repeat(64))
  expect(stateOf()).toBe(before)
  written(slot.session)
  expect(stateOf()).toMatchObject({
    pins: expect.arrayContaining([expect.objectContaining({ pin: 1, mode: 'digital' })]) as object,
  })
})

it('a session began when the module arrived or got another one, not when it was reset or a write failed', () => {
  const { slot, states } = known()
  const since = () => states.of([slot])[0]?.since
  states.began(slot)
  states.written(slot, { ...SETS_MODE, session: slot.session, reply: undefined })
  expect(since()).toBe(FIRST)
  states.session(slot, SECOND)
  expect(since()).toBe(SECOND)
  states.arrived(slot, io, 'A', THIRD)
  expect(since()).toBe(THIRD)
})

it('a module that was exchanged in the same slot has no state of the one before', () => {
  const { slot, states, written } = known()
  const next = new FakeSlot(3, io.vendorProductId)
  states.arrived(next, io, 'B', SECOND)
  written(slot.session)
  expect(states.of([slot])).toEqual([])
  expect(JSON.stringify(states.of([next])[0]?.state)).not.toContain('digital')
})

it('a module type that declares nothing for the journal has an empty state', () => {
  const { contract, vendorProductId, handlers } = io
  const { slot, states, stateOf, written } = known({ contract, vendorProductId, handlers })
  written(slot.session)
  states.alert(slot, { name: 'pin', place: 1, alerts: ['high_current_alert'] })
  states.answered(slot, 'getInputValues', {})
  states.began(slot)
  states.restarting([slot])
  expect(stateOf()).toEqual({})
})
