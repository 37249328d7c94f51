import { describe, expect, it } from 'vitest'
import { controlFiles } from './control.mjs'
import { maintainer } from './maintainer.mjs'

describe('the maintainer of the Debian package', () => {
  it.each([
    [{}, 'The Slotwire authors <authors@slotwire.invalid>'],
    [{ DEBFULLNAME: 'Ann $1', DEBEMAIL: 'ann@example.com' }, 'Ann $1 <ann@example.com>'],
  ])('takes %j as %s', (environment, expected) => expect(maintainer(environment)).toBe(expected))

  it.each([[{ DEBEMAIL: 'ann' }], [{ DEBEMAIL: 'a@example.com>\nEssential: yes' }], [{ DEBFULLNAME: 'Ann <' }]])(
    'is refused with %j',
    (environment) => expect(() => maintainer(environment)).toThrow(/^DEB\w+ is /),
  )

  it('is in the description of the package, which promises no kernel driver', () => {
    const control = String(controlFiles([], { version: '1.0.0', architecture: 'amd64' })[0]?.content)
    expect(control).toContain(`\nMaintainer: ${maintainer(process.env)}\n`)
    expect(control).toMatch(/kernel driver sdbpk, .* which is not in\n this package/)
  })
})
