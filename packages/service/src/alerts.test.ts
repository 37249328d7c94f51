import {
  type BooleanSchema,
  boolean,
  type Endpoint,
  type IntegerSchema,
  type ObjectSchema,
  objectOf,
  reads,
} from '@slotwire/contract'
import { PendingNotifications } from '@slotwire/driver'
import { notificationMasks } from '@slotwire/sdbp'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { type AlertKindOf, type AlertsHandler, servedAlerts, UndoableReply } from './alerts.ts'
import { moduleService } from './module-service.ts'

const gate = { description: 'number of the gate', min: 1, max: 8, example: 1 }
const getAlerts = {
  ...reads,
  path: '/alerts/{gate}',
  parameters: { gate },
  reply: objectOf({ bell_rung: boolean(), rail_5v0_low: boolean() }),
  effect: 'deliver',
  summary: 'Alerts',
  spec: 'toy',
} as const satisfies Endpoint
const masks = notificationMasks('rail5v0Low', 'bellRung')
const alerts: AlertsHandler<AlertKindOf<typeof getAlerts>> = { kind: 'alerts', masks, warns: ['rail5v0Low'] }
const { handler, readNotification } = servedAlerts(getAlerts, alerts)

/** Pending notification bytes of gates, with requests of full and read-only callers. */
function gates(...bytes: number[]) {
  const notifications = new PendingNotifications()
  notifications.merge(Uint8Array.from(bytes))
  const ask = (place: number, readOnly = false) =>
    handler.run({ parameters: { gate: place } }, { slot: { notifications }, readOnly })
  const take = (place: number): UndoableReply<unknown> => {
    const reply = ask(place)
    if (reply instanceof UndoableReply) return reply
    throw new Error(`nothing is pending for gate ${place}`)
  }
  return { notifications, ask, take }
}

describe('servedAlerts', () => {
  it('returns one flag per mask and clears them for this place only', () => {
    const { ask, take } = gates(0b1000_0001, 0b1)
    expect(JSON.stringify(take(1).reply)).toBe('{"bell_rung":true,"rail_5v0_low":true}')
    expect(ask(1)).toEqual({ bell_rung: false, rail_5v0_low: false })
    expect(take(8).reply).toEqual({ bell_rung: false, rail_5v0_low: true })
  })

  it('keeps alerts that a read-only caller reads', () => {
    const { ask, take } = gates(1)
    for (let times = 0; times < 2; times++) expect(ask(1, true)).toEqual({ bell_rung: false, rail_5v0_low: true })
    expect(take(1).reply).toEqual({ bell_rung: false, rail_5v0_low: true })
  })

  it('restores alerts of a failed delivery unless the module was reset', () => {
    const { notifications, take } = gates(1)
    take(1).undo()
    expect(notifications.has(1)).toBe(true)
    const second = take(1)
    notifications.clear()
    second.undo()
    expect(notifications.has(1)).toBe(false)
  })

  it('accepts notifications shorter or longer than the masks', () => {
    expect(gates(4).take(3).reply).toEqual({ bell_rung: false, rail_5v0_low: true })
    expect(gates(0, 4, 4).take(3).reply).toEqual({ bell_rung: true, rail_5v0_low: false })
    expect(gates(0, 0, 4).take(3).reply).toEqual({ bell_rung: false, rail_5v0_low: false })
  })
})

describe('readNotification', () => {
  const both = [
    { gate: 1, alerts: ['bell_rung', 'rail_5v0_low'] },
    { gate: 4, alerts: ['bell_rung'] },
  ]
  it.each([
    ['info', 'an alert without warning', [0, 8], [{ gate: 4, alerts: ['bell_rung'] }]],
    ['warn', 'several alerts with one warning', [1, 9], both],
    ['warn', 'a short notification', [0b1000_0000], [{ gate: 8, alerts: ['rail_5v0_low'] }]],
    ['info', 'an empty notification', [], []],
  ])('logs at level %s: %s', (level, _title, bytes, found) => {
    expect(readNotification(Uint8Array.from(bytes))).toEqual({ level, fields: { gates: found } })
  })
})

describe('a declaration of alerts', () => {
  it.each([
    ['no place', {}, 'need one path parameter, the place'],
    ['two places', { gate, wing: gate }, 'need one path parameter, the place'],
    ['a place without a bit', { gate: { ...gate, max: 9 } }, 'gate is 1…9, but a mask has bits for 1…8'],
    ['a place 0', { gate: { ...gate, min: 0 } }, 'gate is 0…8, but a mask has bits for 1…8'],
  ])('is refused with %s', (_title, parameters, message) => {
    expect(() => servedAlerts({ ...getAlerts, parameters }, alerts)).toThrow(message)
  })

  it('is refused for a second endpoint', () => {
    const endpoints = { getAlerts, again: { ...getAlerts, path: '/again/{gate}' } } as const
    const contract = {
      service: 'gate',
      serviceName: 'gate-module',
      port: 8009,
      title: '',
      description: '',
      defaultSlots: [3],
      endpoints,
    }
    const handlers = { getAlerts: alerts, again: alerts }
    expect(() => moduleService(contract, { vendorProductId: 'example.com/gate', handlers })).toThrow(
      '/again/{gate}: another endpoint delivers the alerts already',
    )
  })

  it('does not compile if masks and flags of the reply differ', () => {
    type Counted = ObjectSchema<{ readonly bell_rung: BooleanSchema; readonly count: IntegerSchema }, 'bell_rung' | 'count'>
    type CountedAlerts = AlertsHandler<AlertKindOf<Omit<typeof getAlerts, 'reply'> & { readonly reply: Counted }>>
    expectTypeOf(masks).toExtend<(typeof alerts)['masks']>()
    expectTypeOf(notificationMasks('bellRung')).not.toExtend<(typeof alerts)['masks']>()
    expectTypeOf(notificationMasks('rail5v0Low', 'bellRung', 'more')).not.toExtend<(typeof alerts)['masks']>()
    expectTypeOf(notificationMasks('bellRung', 'count')).not.toExtend<CountedAlerts['masks']>()
    expectTypeOf<'more'>().not.toExtend<(typeof alerts)['warns'][number]>()
  })
})
