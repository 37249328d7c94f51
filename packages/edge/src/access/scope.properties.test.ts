import { pathSegments } from '@slotwire/service'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cases } from '../../../../tools/tests/generated-cases.mjs'
import { talk } from '../door/socket.testkit.ts'
import { basic, FEED, LEVEL, openDoors } from './access.testkit.ts'

/** Other spellings of a path; the service treats some of them as equal. */
const encoded = (path: string, places: readonly number[], upper: boolean): string =>
  path
    .split('')
    .map((letter, index) => {
      if (!places.includes(index)) return letter
      const hex = letter.charCodeAt(0).toString(16).padStart(2, '0')
      return `%${upper ? hex.toUpperCase() : hex}`
    })
    .join('')
const places = fc.oneof(fc.constant([]), fc.array(fc.nat(24), { maxLength: 6 }))
const paths = fc.constantFrom(
  LEVEL,
  FEED,
  '/api/toy',
  '/api/toy/',
  '/api/toy/1.0/',
  '/api/toy/1.7',
  '//api//toy/1.0/',
  '/slotwire/metrics',
  '/slotwire/livez',
)
const written = fc.tuple(paths, places, fc.boolean()).map(([path, at, upper]) => encoded(path, at, upper))
const oddities = fc.constantFrom(
  '/',
  '/.',
  '/..',
  '/io/..',
  '/%2e%2e',
  '%2f',
  '%5c',
  '\\',
  ';a=b',
  '?',
  '#',
  '?a=/api/io/',
  '%00',
  '%23',
  '%3f',
  '%zz',
)
const inserted = fc.oneof({ weight: 2, arbitrary: fc.constant('') }, oddities)
const oddPrefix = fc.constantFrom(
  '/',
  '.',
  'http://device',
  'HTTPS://device:443',
  'http://a@device',
  'http://device?b',
  'http://device#c',
  'http://',
  'http:',
  'ftp://device',
)
const prefix = fc.oneof({ weight: 2, arbitrary: fc.constant('') }, oddPrefix)
const targets = fc
  .tuple(prefix, written, fc.nat(30), inserted, fc.constantFrom('', '', '/', '//', '?a=1', '#a', ';a'))
  .map(([before, path, at, middle, after]) => before + path.slice(0, at) + middle + path.slice(at) + after)

it('token for some services never reaches another service, in any spelling of a path', async () => {
  const { network, token } = await openDoors()
  const [full, limited] = [await token('full'), await token('limited', { services: ['io'] })]
  let reached = 0
  const statusOf = async (target: string, text: string): Promise<number> => {
    const head = `GET ${target} HTTP/1.1\r\nHost: device\r\nAuthorization: ${basic(text).authorization}\r\nConnection: close\r\n\r\n`
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(await talk(network, head))?.[1])
  }
  await fc.assert(
    fc.asyncProperty(targets, async (target) => {
      const answered = await statusOf(target, full)
      if (answered !== 200) return
      reached++
      // The index of this server names only services of the token.
      const own =
        pathSegments(target)?.join('') === '' ||
        /livez/i.test(decodeURIComponent(target.replace(/[?#].*/s, '').replace(/%(?![0-9a-f]{2})/gi, '%25')))
      expect(await statusOf(target, limited), target).toBe(own ? 200 : 403)
    }),
    {
      numRuns: cases(200),
      examples: [
        [LEVEL],
        [`/${LEVEL}`],
        [LEVEL.replaceAll('/', '//')],
        ['/%61pi/toy'],
        [`http://device${LEVEL}`],
        ['http://device?b/api/toy/'],
        ['/slotwire/metrics'],
      ],
    },
  )
  // Make sure that the property was tested.
  expect(reached).toBeGreaterThan(50)
}, 60_000)
