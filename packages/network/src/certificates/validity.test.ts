import { describe, expect, it } from 'vitest'
import { DAY, NOVEMBER_2026 } from './certificates.testkit.ts'
import { authorityValidity, reasonToRenew, serverValidity } from './validity.ts'

const JANUARY_2025 = Date.UTC(2025, 0, 1)
const authority = authorityValidity(NOVEMBER_2026)

describe('authorityValidity', () => {
  it('is from 2025 until thirty years after its creation', () =>
    expect(authority).toEqual({ notBefore: JANUARY_2025, notAfter: NOVEMBER_2026 + 30 * 365 * DAY }))

  it('is correct for clients even if the device does not know the date', () => {
    expect(authorityValidity(0)).toEqual({ notBefore: JANUARY_2025, notAfter: JANUARY_2025 + 30 * 365 * DAY })
    expect(authorityValidity(Date.UTC(9999, 11, 31)).notAfter).toBe(Date.UTC(2100, 0, 1) + 30 * 365 * DAY)
  })
})

describe('server certificate', () => {
  const server = serverValidity(NOVEMBER_2026 + 123, authority)

  it('is valid for 90 days and backdated by one day', () =>
    expect(server).toEqual({ notBefore: NOVEMBER_2026 - DAY, notAfter: NOVEMBER_2026 + 89 * DAY }))

  it('is renewed when a third of its validity is left, not before', () => {
    expect(reasonToRenew(server.notAfter - 30 * DAY, server, authority)).toBeUndefined()
    expect(reasonToRenew(server.notAfter - 30 * DAY + 1, server, authority)).toBe('it ends soon')
  })

  it('is renewed when the date is outside its validity, in either direction', () => {
    expect(reasonToRenew(server.notBefore - 1, server, authority)).toBe('the date is outside its validity')
    expect(reasonToRenew(server.notAfter + 1, server, authority)).toBe('the date is outside its validity')
  })

  it("never outlives its authority, and is not renewed repeatedly at the authority's end", () => {
    const last = serverValidity(authority.notAfter - 5 * DAY, authority)
    expect(last).toEqual({ notBefore: authority.notAfter - 6 * DAY, notAfter: authority.notAfter })
    expect(reasonToRenew(authority.notAfter - 1, last, authority)).toBeUndefined()
  })

  it('is valid as long as its authority while the date is impossible, and is replaced when the date is known', () => {
    const unknown = serverValidity(0, authority)
    expect(unknown).toEqual(authority)
    expect(reasonToRenew(0, unknown, authority)).toBeUndefined()
    expect(reasonToRenew(0, server, authority)).toBeUndefined()
    expect(reasonToRenew(NOVEMBER_2026, unknown, authority)).toBe('it was made while the date was not known')
  })
})
