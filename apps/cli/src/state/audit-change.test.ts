import { userInfo } from 'node:os'
import { expect, it } from 'vitest'
import { systemUser } from './audit-change.ts'

it('systemUser is the user who called sudo, not root', () => {
  expect(systemUser({ SUDO_USER: 'ada' })).toBe('ada')
  expect(systemUser({ SUDO_USER: '' })).toBe(userInfo().username)
  expect(systemUser({})).toBe(userInfo().username)
})
