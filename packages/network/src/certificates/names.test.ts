import { describe, expect, it } from 'vitest'
import { certificateName, checkedNames, MAX_NAMES, sameNames } from './names.ts'

describe('certificateName', () => {
  // Addresses from RFC 5952, section 4.
  it.each([
    ['Line-3.Example.COM', 'line-3.example.com'],
    ['pump_7', 'pump_7'],
    ['192.168.1.7', '192.168.1.7'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ])('turns %s into %s', (text, name) => expect(certificateName(text)).toBe(name))

  it.each([
    '',
    '.',
    'a..b',
    'line 3',
    '-a',
    'a-',
    '300',
    '1.2.3',
    '0x7f.1.0x1',
    'line-3.local.',
    'bücher.example',
    'fe80::1%eth0',
    'a/b',
    'a%41',
    'a:1',
    'a@b',
    '*',
    '*.local',
    '*.com',
    'a.*.com',
    '*.line.example.com',
    'x'.repeat(64),
  ])('refuses %j', (text) =>
    expect(() => certificateName(text)).toThrow(/is not a valid name for a certificate: give a host name such as/),
  )

  it('lists each name once and sorts addresses from hosts', () =>
    expect(checkedNames({ hosts: ['A', 'a', '10.0.0.1'], addresses: ['10.0.0.1', '::1', '0:0::1'] })).toEqual({
      hosts: ['a'],
      addresses: ['10.0.0.1', '::1'],
    }))

  it(`allows 1 to ${MAX_NAMES} names`, () => {
    const hosts = Array.from({ length: MAX_NAMES }, (_, index) => `host-${index}`)
    expect(checkedNames({ hosts, addresses: [] }).hosts).toHaveLength(100)
    expect(() => checkedNames({ hosts, addresses: ['::1'] })).toThrow('101 names are too many for one certificate: at most 100')
    expect(() => checkedNames({ hosts: [], addresses: [] })).toThrow('a certificate needs at least one name')
  })

  it('ignores the order of names in a comparison', () => {
    expect(sameNames({ hosts: ['a', 'b'], addresses: [] }, { hosts: ['b', 'a'], addresses: [] })).toBe(true)
    expect(sameNames({ hosts: ['a'], addresses: [] }, { hosts: ['a'], addresses: ['::1'] })).toBe(false)
  })
})
