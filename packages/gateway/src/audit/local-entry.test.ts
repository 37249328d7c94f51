import { userInfo } from 'node:os'
import { describe, expect, it } from 'vitest'
import { localEntry, systemUser } from './local-entry.ts'

describe('the entry for a change on the device itself', () => {
  it('is by "local", with the name that the user has on the system', () => {
    expect(localEntry('ada', { action: 'token.create', what: { name: 'line 3 PLC' } })).toEqual({
      who: 'local',
      action: 'token.create',
      what: { user: 'ada', name: 'line 3 PLC' },
      result: 'success',
    })
  })

  it('names whoever called sudo, not root', () => {
    expect(systemUser({ SUDO_USER: 'ada' })).toBe('ada')
    expect(systemUser({ SUDO_USER: '' })).toBe(userInfo().username)
    expect(systemUser({})).toBe(userInfo().username)
  })
})
