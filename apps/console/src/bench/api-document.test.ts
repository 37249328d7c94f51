import { benchContract } from '@slotwire/bench-api'
import { extensionDocument } from '@slotwire/contract'
import { catalog } from '@slotwire/device/twin'
import { elementKinds, snakeName } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { benchDe } from '../texts/de-modules.ts'
import { benchEn } from '../texts/en-modules.ts'
import { capitalized } from '../texts/language.ts'
import { elementsOf, filledFields, othersOf, readBenchApi } from './api-document.ts'

const api = readBenchApi(extensionDocument(benchContract(catalog), { version: '1.0.0' }))

describe('the requests of the bench', () => {
  it('have all elements and faults by name', () => {
    const kinds = Object.values(elementKinds).map(({ kind }) => snakeName(kind))
    expect(elementsOf(api).map(({ name }) => name)).toEqual(expect.arrayContaining(['wire', ...kinds]))
    expect(elementsOf(api)).toHaveLength(kinds.length + 1)
    const others = othersOf(api)
    expect(others[0]).toMatchObject({ path: '/slotwire/bench/fault', name: 'bootloader' })
    expect(others.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['hang', 'break', 'press', 'ambient', 'usb_host', 'restart', 'clear_faults']),
    )
    expect(others.filter(({ path }) => /time|scenario|trace|plug$|connect$|bench\/set$/.test(path))).toEqual([])
  })

  it('put the settings of a kind where the action has them', () => {
    const [resistor, hang] = ['resistor', 'hang'].map((kind) => api.find(({ name }) => name === kind))
    const body = resistor?.bodyOf({ pin: '3/1', ohms: 5, other: '3/2' })
    expect(body).toEqual({ pin: '3/1', other: '3/2', to: { resistor: { ohms: 5 } } })
    expect(resistor?.check(body)).toBeUndefined()
    expect(hang?.bodyOf({ slot: 3, for_ms: 50 })).toEqual({ slot: 3, for_ms: 50, hang: {} })
  })

  it.each(api.filter(({ path }) => /connect$|fault$/.test(path)))(
    'offer values that work for $name',
    ({ example, bodyOf, check }) => {
      expect(check(bodyOf(example))).toBe(undefined)
    },
  )

  it('check a body in the words of the server', () => {
    const resistor = api.find(({ name }) => name === 'resistor')
    expect(resistor?.check(resistor.bodyOf({ pin: '3/1', ohms: -1 }))).toBe(
      'to.resistor.ohms is out of range: 0…1000000000 Ω, not -1',
    )
    expect(resistor?.check(resistor.bodyOf({ pin: '3/7', ohms: 5 }))).toContain('pin is not allowed: a pin as slot/pin')
  })

  it('have fields with words of their own: no units, and no English in German', () => {
    const names = JSON.stringify([...elementsOf(api), ...othersOf(api)].map(({ body }) => body)).matchAll(/"(\w+)":\{"type"/g)
    const fields = [...new Set([...names].map(([, name = '']) => name))].filter((name) => name !== 'items')
    expect(fields).toContain('pull_in_volts')
    const units = / (volts|ohms|ms|hz|celsius|milliampere|millivolt|degrees)$/i
    expect(fields.filter((name) => units.test(` ${benchEn.field(name)}`))).toEqual([])
    expect(fields.filter((name) => benchDe.field(name) === capitalized(name)).sort()).toEqual(['pin', 'pins', 'slot'])
  })
})

it.each([
  [benchEn, ['Polish', 'Fault: Hang']],
  [benchDe, ['Polish', 'Fehler: Hänger']],
])('a new action has its name as its title: only a fault is called one', ({ operation }, titles) => {
  expect([operation('polish', false), operation('hang', true)]).toEqual(titles)
})

describe('the values of a form', () => {
  it.each([
    [{ ohms: 5, volts: undefined }, { ohms: 5 }],
    [
      { csv: '', pressed: false, seed: 0 },
      { pressed: false, seed: 0 },
    ],
    [{ other: { slot: undefined } }, {}],
    [{ contact: ['', ''], pins: ['3/1', ''] }, { pins: ['3/1', ''] }],
  ])('%j are sent as %j', (values, sent) => {
    expect(filledFields(values)).toEqual(sent)
  })
})
