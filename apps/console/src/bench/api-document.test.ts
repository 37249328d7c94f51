import { benchContract } from '@slotwire/bench-api'
import { extensionDocument } from '@slotwire/contract'
import { catalog } from '@slotwire/device/twin'
import { elementKinds, snakeName } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { given, pathWith, readBenchApi } from './api-document.ts'

const api = readBenchApi(extensionDocument(benchContract(catalog), { version: '1.0.0' }))

describe('the requests of the bench', () => {
  it('have all elements and faults by name', () => {
    expect(api.elements.map(({ name }) => name).sort()).toEqual(
      Object.values(elementKinds)
        .map(({ kind }) => snakeName(kind))
        .sort(),
    )
    expect(api.faults.map(({ name }) => name)).toContain('late_frames')
  })

  it('check a body in the words of the server', () => {
    const [resistor] = api.elements.filter(({ name }) => name === 'resistor')
    expect(resistor?.check({ ohms: -1 })).toBe('ohms is out of range: 0…1000000000 Ω')
    expect(resistor?.check({ ohms: 5, other: { slot: 3, pin: 7 } })).toContain('pin is out of range: 1…6')
    expect(resistor?.check(resistor.example)).toBeUndefined()
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
