import { describe, expect, it } from 'vitest'
import {
  commandClass,
  commandCodeOf,
  decodeRequest,
  decodeResponse,
  encodeRefusal,
  encodeRequest,
  encodeResponse,
} from './command.ts'
import { ModuleRefusal, SdbpError } from './errors.ts'
import { u8, u16 } from './fields.ts'
import { faultOf, fromHex, toHex } from './hex.testkit.ts'

const lamps = commandClass({ classIdentifier: 3, class: 9, statuses: { burntOut: 1, noSuchLamp: 2 } })
const dim = lamps.command('DIM', 2, {
  request: { lamp: u8({ min: 1, max: 4 }), percent: u16({ max: 100 }) },
  response: { watts: u8() },
})
const state = lamps.command('STATE', 3, { response: { on: u8() } }, { status: false })
const check = lamps.command('CHECK', 4, {}, { statuslessLength: 7 })

describe('encodeRequest, decodeRequest', () => {
  it('use class identifier, class, operation, data', () => {
    expect(toHex(encodeRequest(dim, { lamp: 4, percent: 50 }))).toBe('03 09 02 04 00 32')
    expect(decodeRequest(dim, fromHex('03 09 02 04 00 32'))).toEqual({ lamp: 4, percent: 50 })
  })

  it('name the field that is out of range', () => {
    expect(() => encodeRequest(dim, { lamp: 5, percent: 50 })).toThrow(new SdbpError('value', 'lamp is 5: 1…4', 'lamp'))
    expect(() => decodeRequest(dim, fromHex('03 09 02 04 00 65'))).toThrow(
      new SdbpError('value', 'percent is 101: 0…100', 'percent'),
    )
  })

  it('distinguish too few bytes, too many, and another command', () => {
    expect(faultOf(() => decodeRequest(dim, fromHex('03 09 02 04 00')))).toBe('truncated')
    expect(faultOf(() => decodeRequest(dim, fromHex('03 09 02 04 00 32 00')))).toBe('length')
    expect(faultOf(() => decodeRequest(dim, fromHex('03 09 03')))).toBe('class')
    expect(faultOf(() => decodeRequest(dim, fromHex('03 08 02 04 00 32')))).toBe('class')
    expect(faultOf(() => decodeRequest(dim, fromHex('01 09 02 04 00 32')))).toBe('class')
    expect(faultOf(() => decodeRequest(dim, fromHex('03 09')))).toBe('truncated')
  })
})

describe('encodeResponse, decodeResponse', () => {
  it('put the status before the data', () => {
    expect(toHex(encodeResponse(dim, { watts: 7 }))).toBe('03 09 02 00 07')
    expect(decodeResponse(dim, fromHex('03 09 02 00 07'))).toEqual({ watts: 7 })
  })

  it('use no status if the command has none', () => {
    expect(toHex(encodeResponse(state, { on: 1 }))).toBe('03 09 03 01')
    expect(decodeResponse(state, fromHex('03 09 03 01'))).toEqual({ on: 1 })
  })

  it('tolerate trailing bytes', () => expect(decodeResponse(dim, fromHex('03 09 02 00 07 FF FF'))).toEqual({ watts: 7 }))

  it('turn a status of the class into a refusal', () => {
    const refusal = new ModuleRefusal('DIM', 2, 'no such lamp')
    expect(toHex(encodeRefusal(dim, 2))).toBe('03 09 02 02')
    expect(() => decodeResponse(dim, fromHex('03 09 02 02'))).toThrow(refusal)
    expect(refusal).toMatchObject({ command: 'DIM', status: 2, reason: 'no such lamp', fault: 'rejected' })
    expect(() => decodeResponse(dim, fromHex('03 09 02 02 07'))).toThrow(refusal)
  })

  it('use an ERROR response as the refusal of a command without status byte', () => {
    expect(toHex(encodeRefusal(state, 2))).toBe('03 09 01 02')
    expect(faultOf(() => decodeResponse(state, fromHex('03 09 01 02')))).toBe('rejected')
  })

  it.each([0, -1, 256, 1.5, Number.NaN])('do not accept %d as the status of a refusal: 1…255', (status) =>
    expect(faultOf(() => encodeRefusal(dim, status))).toBe('value'),
  )

  it('leave the status out only at the statusless length', () => {
    expect(decodeResponse(check, fromHex('03 09 04 00'))).toEqual({})
    expect(decodeResponse(check, fromHex('03 09 04 01 02 03 04 05 06 07'))).toEqual({})
    expect(faultOf(() => decodeResponse(check, fromHex('03 09 04 01 02 03 04 05 06')))).toBe('rejected')
    expect(faultOf(() => decodeResponse(check, fromHex('03 09 04 01 02 03 04 05 06 07 08')))).toBe('rejected')
  })

  it('report operation 1 as ERROR, with its code or without', () => {
    expect(() => decodeResponse(dim, fromHex('03 09 01 05'))).toThrow(new SdbpError('rejected', 'DIM was answered with error 5'))
    expect(() => decodeResponse(dim, fromHex('03 09 01'))).toThrow('DIM was answered with error without a code')
    expect(faultOf(() => decodeResponse(dim, fromHex('03 08 01 05')))).toBe('class')
  })

  it('report an invalid response: too short, of another command, or with an impossible value', () => {
    expect(faultOf(() => decodeResponse(dim, fromHex('')))).toBe('truncated')
    expect(faultOf(() => decodeResponse(dim, fromHex('03 09 02')))).toBe('truncated')
    expect(faultOf(() => decodeResponse(dim, fromHex('03 09 02 00')))).toBe('truncated')
    expect(faultOf(() => decodeResponse(dim, fromHex('03 09 03 00 07')))).toBe('class')
    expect(() => decodeResponse(dim, fromHex('03 09 03 00 07'))).toThrow('DIM expected, payload is of command 3/9/3')
  })
})

it('commandCodeOf is the first three bytes of any payload', () => {
  expect(commandCodeOf(fromHex('03 09 02 04'))).toEqual({ classIdentifier: 3, class: 9, operation: 2 })
  expect(faultOf(() => commandCodeOf(fromHex('03 09')))).toBe('truncated')
})
