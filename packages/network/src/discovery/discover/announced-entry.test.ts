import { describe, expect, it } from 'vitest'
import type { FoundEntry } from '../mdns/browse.ts'
import { announcedEntry, authorityOf } from './announced-entry.ts'

const IO = ['service=io-module', 'path=/api/io/', 'machine-id=/machine-id', 'tls-ca=/ca.pem', 'vendor=Acme']

function entryWith(txt: readonly string[], changes: Partial<FoundEntry> = {}) {
  const entry = { interfaceName: 'eth0', host: 'press-4.local', port: 443, addresses: ['10.0.0.5'] }
  const strings = txt.map((text) => Buffer.from(text, 'latin1'))
  return announcedEntry({ ...entry, type: '_https._tcp.local', txt: strings, ...changes })
}

describe('announcedEntry', () => {
  it('reads the keys of the specification', () =>
    expect(entryWith(IO)).toEqual({
      service: 'io-module',
      path: '/api/io/',
      vendor: 'Acme',
      door: {
        scheme: 'https',
        host: 'press-4.local',
        port: 443,
        interfaceName: 'eth0',
        addresses: ['10.0.0.5'],
        machineIdPath: '/machine-id',
        tlsCaPath: '/ca.pem',
      },
    }))

  it('ignores unknown keys, keys without a value and repeated keys, in any case', () => {
    const odd = [
      'colour=blue',
      'flag',
      '=x',
      '',
      'PATH=/api/io/',
      'path=/other/',
      'Service=io-module',
      '__proto__=x',
      `huge=${'x'.repeat(240)}`,
    ]
    expect(entryWith(odd)).toMatchObject({ service: 'io-module', path: '/api/io/', vendor: undefined })
  })

  it.each([
    ['no service', ['path=/api/io/']],
    ['no path', ['service=io-module']],
    ['no keys', []],
  ])('ignores an entry with %s', (_why, txt) => expect(entryWith(txt)).toBeUndefined())

  it.each(['', 'press 4.local', 'a\r\nX: y', 'x@y', 'a/b', '..', `${'a.'.repeat(130)}local`, 'press-4.example'])(
    'ignores the host %j',
    (host) => expect(entryWith(IO, { host })).toBeUndefined(),
  )

  it('ignores port 0', () => expect(entryWith(IO, { port: 0 })).toBeUndefined())

  it.each([
    ...['http://elsewhere/', '//elsewhere/', '/\\elsewhere/', 'api/io/', '', '/api io/', '/api/\r\nX: y', '/\u00e4'],
    // A GET of these may act on a device.
    ...[
      ...'/api/bmc/1.0/0/watchdog/save /api/io/1.0/ /%61pi/io/ /x/../api/io/ /api/io/?x'.split(' '),
      ...'/API/io/1.0/3/notification/1'.split(' '),
    ],
  ])('ignores the path %j', (path) =>
    expect(entryWith(['service=io-module', `path=${path}`, `machine-id=${path}`, `tls-ca=${path}`])).toMatchObject({
      path: undefined,
      door: { machineIdPath: undefined, tlsCaPath: undefined },
    }),
  )

  it('escapes control characters and direction marks in texts', () => {
    const { service, vendor } =
      entryWith(['service=\u001b[2Jio', 'path=/', `vendor=${Buffer.from('a\u202eb\u0085').toString('latin1')}`]) ?? {}
    expect([service, vendor]).toEqual(['\\u{1b}[2Jio', 'a\\u{202e}b\\u{85}'])
  })
})

it.each([
  ['https', 443, 'press-4.local'],
  ['https', 80, 'press-4.local:80'],
  ['http', 80, 'press-4.local'],
  ['http', 8080, 'press-4.local:8080'],
] as const)('authorityOf turns %s port %i into %s', (scheme, port, text) =>
  expect(authorityOf({ scheme, host: 'press-4.local', port })).toBe(text),
)
