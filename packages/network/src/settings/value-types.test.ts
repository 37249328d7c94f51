import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { certificateName, hostAddress, hostLabel, listenAddress, localOrigin, webOrigin } from './name-types.ts'
import { openPath } from './path-type.ts'
import { choice, orOff, port, shortText, type ValueType } from './value-type.ts'

/** The value of a text, or ✗ with the problem. */
function read<Value>(type: ValueType<Value>, text: string): Value | string {
  const reading = type.read(text)
  return 'value' in reading ? reading.value : `✗ ${reading.problem}`
}

describe('port', () => {
  it.each([
    ['0', 0],
    ['443', 443],
    ['65535', 65_535],
    ['0443', 443],
  ])('reads %j as %j', (text, value) => expect(read(port, text)).toBe(value))

  it.each(['', '-1', '+1', '1e3', '0x1', ' 1', '٤', '99999999999999999999', 'off'])('refuses %j', (text) =>
    expect(read(port, text)).toMatch(/^✗ (must be an integer, not .*: 0…65535|is out of range: 0…65535, not .*)$/),
  )

  it('refuses ports above 65535 and reads off as undefined', () => {
    expect(read(port, '65536')).toBe('✗ is out of range: 0…65535, not 65536')
    expect(read(orOff(port), 'off')).toBeUndefined()
  })
})

describe('webOrigin', () => {
  it.each([
    ['https://app.example.com', 'https://app.example.com'],
    ['HTTPS://App.Example.com:443/', 'https://app.example.com'],
    ['http://localhost:5173', 'http://localhost:5173'],
    ['http://[::1]:80', 'http://[::1]'],
  ])('reads %s as %s, as browsers send it', (text, origin) => expect(read(webOrigin, text)).toBe(origin))

  it.each(['*', 'https://*', 'https://*.example.com'])('refuses %s, which names no page', (text) =>
    expect(read(webOrigin, text)).toMatch(/is a wildcard: write each origin out/),
  )

  it.each([
    '',
    'null',
    'app.example.com',
    'https://',
    'https://a/b',
    'https://u@a',
    'https://a b',
    'file://a',
    'https://a?b',
    'https://a#b',
  ])('refuses %j', (text) => expect(read(webOrigin, text)).toMatch(/is not the origin of a page/))
})

describe('hostLabel (RFC 1123)', () => {
  it.each(['a', '4', '007', 'press-4', 'PRESS-4', 'xn--mnchen-3ya', 'a'.repeat(63)])('accepts %s', (text) =>
    expect(read(hostLabel, text)).toBe(text),
  )

  it.each([
    ['', '"" is not a host name: use letters, digits and hyphens, no hyphen at either end'],
    ['-a', '"-a" is not a host name: use letters, digits and hyphens, no hyphen at either end'],
    ['a-', '"a-" is not a host name: use letters, digits and hyphens, no hyphen at either end'],
    ['a_b', '"a_b" is not a host name: use letters, digits and hyphens, no hyphen at either end'],
    ['münchen', '"münchen" is not a host name: use letters, digits and hyphens, no hyphen at either end'],
    ['press-4.local', '"press-4.local" is not a host name: write the name without its domain'],
    ['a'.repeat(64), 'is too long, 64 characters: at most 63'],
  ])('refuses %s', (text, problem) => expect(read(hostLabel, text)).toBe(`✗ ${problem}`))
})

describe('certificateName', () => {
  it.each([
    ['press-4', 'press-4'],
    ['Press-4.Example.COM', 'press-4.example.com'],
    ['10.1.2.3', '10.1.2.3'],
    ['2001:DB8::0:7', '2001:db8::7'],
    [`${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`, undefined],
  ])('accepts %s', (text, value) => expect(read(certificateName, text)).toBe(value ?? text))

  it.each([
    ['a..b', 'is not a host name'],
    ['a.b.', 'is not a host name'],
    ['*.example.com', 'is a wildcard: write every name out'],
    ['münchen.de', 'is not a host name: write it as in the domain name system, with xn--'],
    ['10.1.2', 'is not an IP address'],
    ['10.1.2.256', 'is not an IP address'],
    ['10.1.2.3/24', 'is a network: write single addresses'],
    ['fe80::1%eth0', 'names an interface: write the address without %…'],
    ['::ffff:10.1.2.3', 'is an IPv4 address in IPv6 form: write 10.1.2.3'],
    ['0.0.0.0', 'means all addresses'],
    ['a.7', 'is not a host name'],
    ['https://a', 'is a network'],
    [`${'a.'.repeat(127)}aa`, 'is not a host name'],
  ])('refuses %s', (text, problem) => expect(read(certificateName, text)).toContain(problem))
})

describe('listenAddress and hostAddress', () => {
  it('accept a wildcard only as an address to listen on', () => {
    expect([read(listenAddress, '0.0.0.0'), read(listenAddress, '::'), read(listenAddress, '0:0::')]).toEqual([
      '0.0.0.0',
      '::',
      '::',
    ])
    for (const text of ['0.0.0.0', '::']) expect(read(hostAddress, text)).toContain('means all addresses')
  })

  it.each(['', 'localhost', '1', '010.1.2.3', '10.1.2.3 ', '[::1]', '::1::', '10.1.2.3:80'])('refuse %j', (text) => {
    expect(read(listenAddress, text)).toMatch(/^✗ /)
    expect(read(hostAddress, text)).toMatch(/^✗ /)
  })

  it('normalize an IPv6 address to one form', () => {
    const address = fc.ipV6().filter((text) => !/^[0:.]*(:f{4})?:[\d.]*$/i.test(text) && !text.includes('.'))
    fc.assert(
      fc.property(address, (text) => {
        const once = read(listenAddress, text)
        expect(read(listenAddress, once)).toBe(once)
      }),
    )
  })
})

describe('localOrigin', () => {
  it.each([
    ['http://127.0.0.1:8002', 'http://127.0.0.1:8002'],
    ['http://127.9.9.9:8002/', 'http://127.9.9.9:8002'],
    ['https://10.0.0.7', 'https://10.0.0.7'],
    ['http://172.31.0.1:80', 'http://172.31.0.1'],
    ['http://192.168.1.1:1', 'http://192.168.1.1:1'],
    ['http://[::1]:8002', 'http://[::1]:8002'],
    ['http://[fd00::7]:8002', 'http://[fd00::7]:8002'],
    ['HTTP://LOCALHOST:8002', 'http://localhost:8002'],
    ['http://io:8002', 'http://io:8002'],
    ['http://press-5.local:8002', 'http://press-5.local:8002'],
    ['http://io.home.arpa', 'http://io.home.arpa'],
  ])('accepts %s', (text, value) => expect(read(localOrigin, text)).toBe(value))

  it.each([
    ['8002', 'is not an http(s) address without a path'],
    ['localhost:8002', 'is not an http(s) address without a path'],
    ['ftp://127.0.0.1', 'is not an http(s) address without a path'],
    ['http://127.0.0.1:8002/api', 'is not an http(s) address without a path'],
    ['http://127.0.0.1?a', 'is not an http(s) address without a path'],
    ['http://127.0.0.1#a', 'is not an http(s) address without a path'],
    ['http://user:secret@127.0.0.1', 'is not an http(s) address without a path'],
    ['http:\\\\127.0.0.1', 'is not an http(s) address without a path'],
    ['http://127.0.0.1:65536', 'is not an http(s) address without a path'],
    ['http://127.0.0.1:0', 'has port 0'],
    ['http://0.0.0.0:8002', 'is not in the local network'],
    ['http://127.1:8002', 'has an unusual address: write http://127.0.0.1:8002'],
    ['http://0x7f000001', 'has an unusual address: write http://127.0.0.1'],
    ['http://8.8.8.8', 'is not in the local network: use a loopback or private address'],
    ['http://172.32.0.1', 'is not in the local network'],
    ['http://[2001:db8::1]', 'is not in the local network'],
    ['http://example.com', 'is not in the local network'],
    ['http://local.example.com', 'is not in the local network'],
    ['http://-a', 'has no host'],
    ['http://a..b', 'has no host'],
  ])('refuses %s', (text, problem) => expect(read(localOrigin, text)).toContain(`✗ "${text}" ${problem}`))
})

describe('openPath', () => {
  it.each(['/machine-id', '/ca.pem', '/.well-known/a_b~c', '/apis', '/a/api/b', `/${'a'.repeat(199)}`])('accepts %s', (text) =>
    expect(read(openPath, text)).toBe(text),
  )

  it.each([
    ['', 'does not begin with /'],
    ['ca.pem', 'does not begin with /'],
    ['/', 'has an empty part'],
    ['//a', 'has an empty part'],
    ['/a/', 'has an empty part'],
    ['/a/../b', 'has . or .. as a part'],
    ['/./a', 'has . or .. as a part'],
    ['/a?b', 'has a query or fragment'],
    ['/a#b', 'has a query or fragment'],
    ['/a%2e', 'has encoded characters'],
    ['/a b', 'has characters that are not safe'],
    ['/a\\b', 'has characters that are not safe'],
    ['/é', 'has characters that are not safe'],
    ['/api', 'is taken: everything under /api/ is'],
    ['/API/x', 'is taken: everything under /API/ is'],
    ['/slotwire/docs', 'is taken: everything under /slotwire/ is'],
    [`/${'a'.repeat(200)}`, 'is too long, 201 characters: at most 200'],
  ])('refuses %s', (text, problem) => expect(read(openPath, text)).toContain(problem))
})

describe('shortText', () => {
  it('limits the length in bytes', () => {
    expect(read(shortText(6), 'ééé')).toBe('ééé')
    expect(read(shortText(5), 'ééé')).toBe('✗ is too long, 6 bytes: at most 5')
  })

  it.each(['', ' ', 'a\nb', 'a\u0000', 'a\u2028b', 'a\u202eb', '\ud800'])('refuses %j', (text) =>
    expect(read(shortText(100), text)).toMatch(/^✗ /),
  )
})

it('choice accepts one of its words, case-sensitively', () => {
  const either = choice(['on', 'off'])
  expect([read(either, 'on'), read(either, 'On')]).toEqual(['on', '✗ is not allowed: on or off, not "On"; did you mean on?'])
  expect(either.wording).toBe('on, off')
})
