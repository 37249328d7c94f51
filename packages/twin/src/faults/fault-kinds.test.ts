import { describe, expect, expectTypeOf, it } from 'vitest'
import { type Takes, untyped } from '../untyped.testkit.ts'
import { faultKinds, hang, lateFrames, lostFrames } from './index.ts'

/** Required settings of each kind. */
const settings: Readonly<Record<keyof typeof faultKinds, Readonly<Record<string, number>>>> = {
  bootloader: {},
  corruptStorage: {},
  crcErrors: { share: 0.3 },
  duplicatedFrames: { share: 0.3 },
  endlessWait: { waitMs: 2500 },
  fullStorage: {},
  garbage: { share: 1 },
  hang: {},
  lateFrames: { delayMs: 20, share: 1 },
  lostFrames: { share: 0.3 },
  memoryLoss: {},
  reboot: {},
  wrongClass: { share: 1 },
}

describe('every kind of fault', () => {
  it.each(Object.entries(faultKinds))('%s has its name, a summary and the meaning of each setting', (name, kind) => {
    expect(kind.kind).toBe(name)
    expect(kind.summary).not.toBe('')
    for (const field of Object.values(kind.fields)) expect(field.description).toMatch(/./)
  })

  it.each(Object.entries(settings))('%s is made from its kind and settings, and returns them', (kind, values) => {
    const fault = faultKinds[kind as keyof typeof faultKinds].from(values)
    expect(fault).toMatchObject({ kind, settings: values })
    expect(fault.description).not.toBe('')
  })

  it('has a primary setting that exists, or no settings', () => {
    for (const { primary, fields } of Object.values(faultKinds)) {
      if (primary === undefined) expect(fields).toEqual({})
      else expect(fields[primary]).toMatchObject({ type: 'number' })
    }
  })
})

const { lostFrames: lost, lateFrames: late, endlessWait, garbage, wrongClass } = faultKinds

describe('a fault from settings', () => {
  it('is the fault that the function of its kind makes, by name or with its primary setting first', () => {
    const { description } = lost.from({ share: 0.3 })
    expect(description).toBe('30 % of the frames get lost')
    expect([lostFrames({ share: 0.3 }), lostFrames(0.3)].map((each) => each.description)).toEqual([description, description])
    expect(lateFrames(20, { share: 0.5 }).description).toBe('50 % of the responses come 20 ms late')
  })

  it('affects all responses by default', () => {
    expect(lateFrames(20).settings).toEqual({ delayMs: 20, share: 1 })
    expect(garbage.from({}).settings).toEqual({ share: 1 })
    expect(wrongClass.from({}).settings).toEqual({ share: 1 })
  })

  it.each([
    ['a share above 1', () => lost.from({ share: 30 }), 'share is out of range: 0…1, not 30'],
    ['a share that is a text', () => lost.from({ share: '30%' }), 'share must be a number, not "30%": 0…1'],
    ['no share', () => lost.from({}), 'share is missing: a number from 0 to 1'],
    ['an unknown setting', () => faultKinds.hang.from({ share: 1 }), 'share is unknown: there are no fields here'],
    ['a delay of nothing', () => late.from({ delayMs: 0 }), 'delayMs is out of range: 0.001…60000 ms, not 0'],
    ['a wait beyond the protocol', () => endlessWait.from({ waitMs: 65_536 }), 'waitMs is out of range: 1…65535 ms, not 65536'],
    ['a value for hang', () => untyped(hang, 5), 'hang has no primary setting: give its settings by name'],
  ])('refuses %s', (_, make, message) => {
    expect(make).toThrow(RangeError)
    expect(make).toThrow(message)
  })

  it('refuses by type a value for hang', () => {
    expectTypeOf<Takes<typeof hang, [number]>>().toEqualTypeOf<false>()
    expectTypeOf<Takes<typeof lostFrames, [number]>>().toEqualTypeOf<true>()
  })
})
