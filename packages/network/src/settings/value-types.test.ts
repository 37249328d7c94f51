import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  brokerUrl,
  certificateName,
  choice,
  filePath,
  hostAddress,
  listenAddress,
  localOrigin,
  openPath,
  orOff,
  port,
  shortHostName,
  shortText,
  topicLevel,
  type ValueType,
  webOrigin,
} from './value-types.ts'

const A63 = 'a'.repeat(63)
const LONG_NAME = `${A63}.${A63}.${A63}.${'d'.repeat(61)}`

interface Words {
  readonly type: ValueType<unknown>
  /** Texts with their values. */
  readonly values?: Readonly<Record<string, unknown>>
  /** Texts that are their own values. */
  readonly same?: readonly string[]
  readonly refused: readonly string[]
}

const types: Readonly<Record<string, Words>> = {
  port: {
    type: port,
    values: { 0: 0, 443: 443, 65535: 65_535, '0443': 443 },
    refused: ['', '-1', '+1', '1e3', '0x1', ' 1', '٤', '65536', '99999999999999999999', 'off'],
  },
  'port or off': { type: orOff(port), values: { off: undefined, 80: 80 }, refused: ['on', 'Off'] },
  choice: { type: choice(['on', 'off']), same: ['on', 'off'], refused: ['On', ''] },
  shortText: {
    type: shortText(6),
    same: ['ééé', 'a b'],
    refused: ['', ' ', 'éééé', 'a\nb', 'a\u0000', 'a\u2028b', 'a\u202eb', '\ud800'],
  },
  brokerUrl: {
    type: brokerUrl,
    same: ['mqtt://a', 'mqtts://broker.local:8884', 'mqtt://[::1]:1883/'],
    refused: ['', 'a', 'http://a', 'mqtt://u:secret@a', 'mqtt://a/b', 'mqtt://a:99999'],
  },
  filePath: { type: filePath, same: ['/a', '/etc/a b'], refused: ['', '/', 'a', './a', '/a\n'] },
  topicLevel: {
    type: topicLevel,
    same: ['a', 'Plant_4.b-c', 'a'.repeat(64)],
    refused: ['', 'a/b', '+', '#', 'a b', 'a'.repeat(65)],
  },
  webOrigin: {
    type: webOrigin,
    values: {
      'https://app.example.com': 'https://app.example.com',
      'HTTPS://App.Example.com:443/': 'https://app.example.com',
      'http://localhost:5173': 'http://localhost:5173',
      'http://[::1]:80': 'http://[::1]',
    },
    refused: [
      ...['*', 'https://*', 'https://*.example.com', '', 'null', 'app.example.com', 'https://', 'https://a/b', 'https://u@a'],
      ...['https://a b', 'file://a', 'https://a?b', 'https://a#b'],
    ],
  },
  'shortHostName (RFC 1123)': {
    type: shortHostName,
    same: ['a', '4', '007', 'press-4', 'PRESS-4', 'xn--mnchen-3ya', A63],
    refused: ['', '-a', 'a-', 'a_b', 'münchen', 'press-4.local', `${A63}a`, 'a\n'],
  },
  certificateName: {
    type: certificateName,
    values: { 'Press-4.Example.COM': 'press-4.example.com', '2001:DB8::0:7': '2001:db8::7' },
    same: ['press-4', '10.1.2.3', LONG_NAME],
    refused: [
      ...['', 'a..b', 'a.b.', '*.example.com', 'münchen.de', '10.1.2', '10.1.2.256', '10.1.2.3/24', 'fe80::1%eth0'],
      ...['::ffff:10.1.2.3', '0.0.0.0', '::', 'a.7', 'https://a', `${LONG_NAME}d`],
    ],
  },
  listenAddress: {
    type: listenAddress,
    values: { '0.0.0.0': '0.0.0.0', '::': '::', '0:0::': '::', '10.1.2.3': '10.1.2.3' },
    refused: ['', 'localhost', '1', '010.1.2.3', '10.1.2.3 ', '[::1]', '::1::', '10.1.2.3:80', '::ffff:10.1.2.3'],
  },
  hostAddress: {
    type: hostAddress,
    same: ['10.1.2.3', '2001:db8::7'],
    refused: ['', '0.0.0.0', '::', 'localhost', '10.1.2.3/24', '10.1.2.3 ', '[::1]', '::1::'],
  },
  localOrigin: {
    type: localOrigin,
    values: {
      'http://127.0.0.1:8002': 'http://127.0.0.1:8002',
      'http://127.9.9.9:8002/': 'http://127.9.9.9:8002',
      'https://10.0.0.7': 'https://10.0.0.7',
      'http://172.31.0.1:80': 'http://172.31.0.1',
      'http://192.168.1.1:1': 'http://192.168.1.1:1',
      'http://[::1]:8002': 'http://[::1]:8002',
      'http://[fd00::7]:8002': 'http://[fd00::7]:8002',
      'HTTP://LOCALHOST:8002': 'http://localhost:8002',
      'http://io:8002': 'http://io:8002',
      'http://press-5.local:8002': 'http://press-5.local:8002',
      'http://io.home.arpa': 'http://io.home.arpa',
    },
    refused: [
      ...['8002', 'localhost:8002', 'ftp://127.0.0.1', 'http://127.0.0.1:8002/api', 'http://127.0.0.1?a', 'http://127.0.0.1#a'],
      ...['http://user:secret@127.0.0.1', 'http:\\\\127.0.0.1', 'http://127.0.0.1:65536', 'http://127.0.0.1:0', 'http://0.0.0.0'],
      ...['http://127.1:8002', 'http://0x7f000001', 'http://8.8.8.8', 'http://172.32.0.1', 'http://[2001:db8::1]'],
      ...['http://example.com', 'http://local.example.com', 'http://-a', 'http://a..b'],
    ],
  },
  openPath: {
    type: openPath,
    same: ['/machine-id', '/ca.pem', '/.well-known/a_b~c', '/apis', '/a/api/b', `/${'a'.repeat(199)}`],
    refused: [
      ...['', 'ca.pem', '/', '//a', '/a/', '/a/../b', '/./a', '/a?b', '/a#b', '/a%2e', '/a b', '/a\\b', '/é', '/a\n'],
      ...['/api', '/API/x', '/slotwire/docs', `/${'a'.repeat(200)}`],
    ],
  },
}

describe.each(Object.entries(types))('%s', (_name, { type, values = {}, same = [], refused }) => {
  it('reads each valid text as its value', () => {
    for (const [text, value] of [...Object.entries(values), ...same.map((each) => [each, each] as const)])
      expect([text, type.read(text, 'key')]).toEqual([text, value])
  })

  it.each(refused)('refuses %j with a sentence about the key', (text) =>
    expect(() => type.read(text, 'key')).toThrow(/^key (is not allowed: |is out of range: |must be )/),
  )
})

it('listenAddress normalizes an IPv6 address to one form', () => {
  const address = fc.ipV6().filter((text) => !/^[0:.]*(:f{4})?:[\d.]*$/i.test(text) && !text.includes('.'))
  const once = (text: string) => listenAddress.read(text, 'key')
  const isStable = (text: string) => once(once(text)) === once(text)
  fc.assert(fc.property(address, isStable))
})

it('the sentence has the form, and a word that was probably meant', () => {
  expect(() => shortHostName.read('a_b', 'host-name')).toThrow(
    'host-name is not allowed: a host name without domain: at most 63 letters, digits and inner hyphens, not "a_b"',
  )
  expect(() => choice(['on', 'off']).read('On', 'key')).toThrow('key is not allowed: on or off, not "On"; did you mean on?')
})

it('the sentence about a broker does not show a password', () =>
  expect(() => brokerUrl.read('mqtt://u:secret@a', 'mqtt.broker')).toThrow(/^(?!.*secret).*without user and password$/))
