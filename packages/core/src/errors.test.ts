import { describe, expect, expectTypeOf, it } from 'vitest'
import { coreErrors } from './error-table.ts'
import { defineErrors, errorDefinitions, SlotwireError, type SlotwireErrorOptions } from './errors.ts'

const errors = defineErrors({
  tooHot: { status: 500, message: 'slot {slot} is too hot: {celsius} °C, {slot} must cool', retryable: true },
  asleep: { status: 400, message: 'the module sleeps' },
})

describe('defineErrors', () => {
  it('fills in every placeholder, including repeated ones', () => {
    const error = errors.tooHot({ slot: 3, celsius: '125.5' })
    expect(error).toBeInstanceOf(SlotwireError)
    expect(error.message).toBe('slot 3 is too hot: 125.5 °C, 3 must cool')
    expect(error.status).toBe(500)
    expect(error.code).toBe('too-hot')
    expect(error.definition.retryable).toBe(true)
    expect(error.name).toBe('SlotwireError')
  })

  it('keeps a message without placeholders as it is', () => expect(errors.asleep().message).toBe('the module sleeps'))

  it('makes the code from the name with the prefix, and an error that is not retryable by default', () =>
    expect(defineErrors({ nearlyAsleep: { status: 400, message: 'yawn' } }, 'lamp-').nearlyAsleep.definition).toEqual({
      code: 'lamp-nearly-asleep',
      status: 400,
      message: 'yawn',
      retryable: false,
      example: {},
    }))

  it('inserts details unchanged', () => {
    const error = errors.tooHot({ slot: '{celsius}', celsius: '$& $1' })
    expect(error.message).toBe('slot {celsius} is too hot: $& $1 °C, {celsius} must cool')
  })

  it('keeps the cause, with and without details', () => {
    const cause = new Error('the bus is gone')
    expect(errors.tooHot({ slot: 3, celsius: 1 }, { cause }).cause).toBe(cause)
    expect(errors.asleep({ cause }).cause).toBe(cause)
  })

  it('requires exactly the details of the message', () => {
    expectTypeOf(errors.tooHot).parameter(0).toEqualTypeOf<Record<'slot' | 'celsius', string | number>>()
    expectTypeOf(errors.asleep).parameter(0).toEqualTypeOf<SlotwireErrorOptions | undefined>()
  })
})

it('errorDefinitions returns the rows of a table', () =>
  expect(errorDefinitions(errors).map((row) => row.code)).toEqual(['too-hot', 'asleep']))

describe('coreErrors', () => {
  it('answers an unknown path with exactly "Not Found"; spec "Errors" rule 4', () => {
    const error = coreErrors.notFound()
    expect(error.status).toBe(404)
    expect(error.message).toBe('Not Found')
  })

  it.each(errorDefinitions(coreErrors))('$code has a client or server status and a message of one line', (definition) => {
    expect(definition.code).toMatch(/^[a-z]+(-[a-z]+)*$/)
    expect(definition.status).toBeGreaterThanOrEqual(400)
    expect(definition.status).toBeLessThan(600)
    expect(definition.message).toMatch(/^[^\n\r]+$/)
  })
})
