import { benchContract } from '@slotwire/bench-api'
import { extensionDocument } from '@slotwire/contract'
import { catalog } from '@slotwire/device/twin'
import { elementKinds, snakeName } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { benchDe } from '../texts/de-modules.ts'
import { benchEn, capitalized } from '../texts/en-modules.ts'
import { elementsOf, given, othersOf, pathWith, readBenchApi } from './api-document.ts'

const api = readBenchApi(extensionDocument(benchContract(catalog), { version: '1.0.0' }))

describe('the requests of the bench', () => {
  it('have all elements and faults by name', () => {
    const kinds = Object.values(elementKinds).map(({ kind }) => snakeName(kind))
    expect(elementsOf(api).map(({ name }) => name)).toEqual(expect.arrayContaining(['wire', ...kinds]))
    expect(elementsOf(api)).toHaveLength(kinds.length + 1)
    const others = othersOf(api).map(({ path }) => path.replace('/slotwire/bench/', ''))
    expect(others[0]).toContain('slot/{slot}/fault/')
    expect(others).toEqual(expect.arrayContaining(['slot/{slot}/break', 'ambient', 'usb/host', 'restart']))
    expect(others.filter((path) => /pin|time|scenario|trace|plug$/.test(path))).toEqual([])
  })

  it('check a body in the words of the server', () => {
    const resistor = api.get('/slotwire/bench/pin/{slot}/{pin}/resistor')
    expect(resistor?.check({ ohms: -1 })).toBe('ohms is out of range: 0…1000000000 Ω, not -1')
    expect(resistor?.check({ ohms: 5, other: { slot: 3, pin: 7 } })).toContain('pin is out of range: 1…6')
    expect(resistor?.check(resistor.example)).toBeUndefined()
  })

  it('have fields with words of their own: no units, and no English in German', () => {
    const names = JSON.stringify([...elementsOf(api), ...othersOf(api)].map(({ body }) => body)).matchAll(/"(\w+)":\{"type"/g)
    const fields = [...new Set([...names].map(([, name = '']) => name))]
    expect(fields).toContain('pull_in_volts')
    const units = / (volts|ohms|ms|hz|celsius|milliampere|millivolt|degrees)$/i
    expect(fields.filter((name) => units.test(` ${benchEn.field(name)}`))).toEqual([])
    expect(fields.filter((name) => benchDe.field(name) === capitalized(name))).toEqual(['slot', 'pin'])
  })

  it('have paths with numbers', () => {
    expect(pathWith({ path: '/pin/{slot}/{pin}/short' }, { slot: 3, pin: 1 })).toBe('/pin/3/1/short')
  })
})

describe('the values of a form', () => {
  it.each([
    [{ ohms: 5, volts: undefined }, { ohms: 5 }],
    [
      { csv: '', pressed: false, seed: 0 },
      { pressed: false, seed: 0 },
    ],
    [{ other: { slot: undefined } }, {}],
    [{ contact: { from: { slot: 3, pin: 1 }, to: {} } }, { contact: { from: { slot: 3, pin: 1 } } }],
  ])('%j are sent as %j', (values, sent) => {
    expect(given(values)).toEqual(sent)
  })
})
