import { describe, expect, it } from 'vitest'
import { certificateName, checkedNames, MOST_NAMES, sameNames } from './names.ts'

describe('a name in a certificate', () => {
  // Punycode from RFC 3492, section 7.1 (L), and the IDNA test of WHATWG; addresses from RFC 5952, section 4.
  it.each([
    ['Line-3.Example.COM', 'host', 'line-3.example.com'],
    ['line-3.local.', 'host', 'line-3.local'],
    ['pump_7', 'host', 'pump_7'],
    ['bücher.example', 'host', 'xn--bcher-kva.example'],
    ['*.Line.example.com', 'host', '*.line.example.com'],
    ['192.168.1.7', 'address', '192.168.1.7'],
    ['2001:DB8:0:0:0:0:0:1', 'address', '2001:db8::1'],
    ['[::1]', 'address', '::1'],
    ['fe80::1%eth0', 'address', 'fe80::1'],
  ])('%s is the %s %s', (text, kind, name) => {
    expect(certificateName(text)).toEqual({ kind, name })
  })

  it.each([
    '',
    '.',
    'a..b',
    'line 3',
    '-a',
    'a-',
    '300',
    '1.2.3',
    'a/b',
    'a%41',
    'a:1',
    'a@b',
    '*',
    '*.local',
    '*.com',
    'a.*.com',
    '*a.b.com',
    'x'.repeat(64),
  ])('%j is none', (text) => {
    expect(() => certificateName(text)).toThrow(/is no name for a certificate: give a host name such as/)
  })

  it('stands there once, at its right place', () => {
    expect(checkedNames({ hosts: ['A', 'a', '10.0.0.1'], addresses: ['10.0.0.1', '::1', '0:0::1'] })).toEqual({
      hosts: ['a'],
      addresses: ['10.0.0.1', '::1'],
    })
  })

  it(`is one of ${MOST_NAMES} at most, and of one at least`, () => {
    const hosts = Array.from({ length: MOST_NAMES }, (_, index) => `host-${index}`)
    expect(checkedNames({ hosts, addresses: [] }).hosts).toHaveLength(100)
    expect(() => checkedNames({ hosts, addresses: ['::1'] })).toThrow('101 names are too many for one certificate: at most 100')
    expect(() => checkedNames({ hosts: [], addresses: [] })).toThrow('a certificate is for one name at least')
  })

  it('is compared without its place in the list', () => {
    expect(sameNames({ hosts: ['a', 'b'], addresses: [] }, { hosts: ['b', 'a'], addresses: [] })).toBe(true)
    expect(sameNames({ hosts: ['a'], addresses: [] }, { hosts: ['a'], addresses: ['::1'] })).toBe(false)
  })
})
