import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyCharacter } from '../../packages/core/src/any-character.testkit.ts'
import { answersIn, dial, readToEnd } from '../../packages/edge/src/door/socket.testkit.ts'
import { cases } from '../../tools/tests/generated-cases.mjs'
import { describeDevice } from '../device/device.testkit.ts'

const RUNS = cases(60)
const HOST = 'Host: localhost\r\n'
const BODY = '{"pin":6,"mode":"digital"}'
const POST = `POST /api/io/1.0/5/input/mode HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`

const requests = [
  `GET /api/io/1.0/5/input/values HTTP/1.1\r\n${HOST}Cache-Control: no-cache\r\n\r\n`,
  `GET /api/io/1.0/5/notification/1 HTTP/1.1\r\n${HOST}Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  `${POST}Content-Length: ${BODY.length}\r\n\r\n${BODY}`,
  `${POST}Transfer-Encoding: chunked\r\n\r\n${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`,
]

/** Text with a meaning for an HTTP parser, and any other text. */
const pieces = [
  '\r\n',
  '\r',
  '\n',
  '\r\n\r\n',
  '\0',
  ' ',
  ':',
  ';',
  ',',
  '%',
  '/',
  'Connection: close\r\n',
  'Expect: 100-continue\r\n',
]
const change = fc.record({
  at: fc.nat(),
  remove: fc.nat({ max: 3 }),
  insert: fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: anyCharacter, maxLength: 3 })),
})

const anyBytes = fc
  .tuple(fc.array(fc.constantFrom(...requests), { minLength: 1, maxLength: 3 }), fc.array(change, { maxLength: 3 }))
  .map(([parts, changes]) =>
    changes.reduce((text, { at, remove, insert }) => {
      const place = at % text.length
      return text.slice(0, place) + insert + text.slice(place + remove)
    }, parts.join('')),
  )

describeDevice('randomly mutated requests', (device) => {
  it('get complete answers, never a 5xx, and the connection ends', async () => {
    const port = await device.listen()
    await fc.assert(
      fc.asyncProperty(anyBytes, async (text) => {
        const socket = await dial(port)
        const end = readToEnd(socket)
        socket.end(Buffer.from(text, 'latin1'))
        const answers = answersIn((await end).replaceAll(/HTTP\/1\.1 10\d [^\r]*\r\n\r\n/g, ''))
        expect(answers.length).toBeGreaterThan(0)
        for (const { status, body } of answers) {
          expect(status).toBeLessThan(500)
          const names = Object.keys(JSON.parse(body) as object)
          if (status >= 400) expect(names).toEqual(['status', 'code', 'message'])
        }
      }),
      { numRuns: RUNS },
    )
  })
})
