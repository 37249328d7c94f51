import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { runCommand, testContext } from '../command.testkit.ts'
import { getCommand } from './device-commands.ts'
import { leaseCommand } from './lease-command.ts'
import { alertsCommand, eventsCommand, historyCommand, watchCommand } from './live-commands.ts'
import { formatLine, formatRows } from './output.ts'
import { interruptCommand } from './pin-commands.ts'

const version = { major: 1, minor: 0, patch: 0 }
const pins = Array.from({ length: 6 }, (_, index) => ({ pin: index + 1, pin_type: 'voltage_millivolt', value: 5000 }))
type Answers = Readonly<Record<string, [status: number, body: unknown]>>
/** Answers of a device with an io module in slot 3 and a read-only token: alerts may not be cleared. */
const answers: Answers = {
  '/api/io/1.0/': [
    200,
    {
      driver_session: 'D',
      version: { api: version, service: version, module_driver: version, kernel_driver: version },
      devices: [{ slot_number: 3, sdbp_version: version, device_session: 'S' }],
    },
  ],
  '/api/io/1.0/3/input/values': [200, { pins }],
  '/api/io/1.0/3/input/values/current': [200, { pins }],
  '/api/io/1.0/3/input/digital/interrupt': [200, { status: 'success' }],
  '/api/io/1.0/3/notification/1': [403, { status: 'error', code: 403, message: 'read-only' }],
}

/** A server without `/slotwire/` but for `others`, and what a command on a terminal prints and sends. */
async function originalServices(others: Answers = {}) {
  const requests: string[] = []
  const server = createServer((request, response) => {
    void text(request).then((sent) => {
      requests.push(`${request.url} ${sent}`)
      const [status, body] = { ...answers, ...others }[request.url?.replace(/\?.*/, '') ?? ''] ?? [
        404,
        { status: 'error', code: 404, message: 'Not Found' },
      ]
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(typeof body === 'string' ? body : JSON.stringify(body))
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { context, written } = testContext('/nonexistent', 0)
  let stop = (): void => undefined
  const stopping = new Promise<void>((resolve) => {
    stop = resolve
  })
  return {
    url,
    requests,
    written,
    stop,
    context: { ...context, terminal: { columns: 80 }, stopped: () => stopping },
  }
}

it('watch follows values on a terminal where a read-only token may not clear alerts', async () => {
  const { url, written, context, stop, requests } = await originalServices()
  const watching = runCommand(watchCommand(context), ['3/1', '--every', '50ms', '--url', url])
  const countOf = (path: string): number => requests.filter((request) => request.includes(path)).length
  await expect.poll(() => countOf('/notification/1')).toBe(1)
  const before = countOf('/input/values')
  await expect.poll(() => countOf('/input/values')).toBeGreaterThan(before + 1)
  stop()
  await watching
  expect(written.exitCode).toBe(130)
  expect(written.hinted).toBe('')
  expect(written.printed).toContain('5000 mV')
})

it('interrupt allows every debounce time of the specification, and no other', async () => {
  const { url, requests, context, written } = await originalServices()
  for (const debounce of ['0', '1s', '1001ms'])
    await runCommand(interruptCommand(context), ['3/2', '--debounce', debounce, '--url', url])
  const sent = requests.filter((request) => request.includes('/interrupt'))
  expect(sent.map((request) => /milliseconds":(\d+)/.exec(request)?.[1])).toEqual(['0', '1000'])
  expect(written.exitCode).toBe(2)
  expect(written.hinted).toContain('debounce_time_milliseconds is out of range: 0…1000 ms')
})

it('prints nothing as CSV if there are no rows', () => expect(formatRows([], 'csv')).toBe(''))

it.each([
  ['table', 'TEXT\n\\u{9b}\\u{202e}\\n\n\\u{9b}\\u{202e}\\n\n'],
  ['csv', 'text\n\\u{9b}\\u{202e}\\n\n\\u{9b}\\u{202e}\\n\n'],
  ['json', '[{"text":"\\u009b\\u202e\\n"}]\n{"text":"\\u009b\\u202e\\n"}\n'],
] as const)('prints as %s no character that a terminal interprets', (format, expected) => {
  const row = { text: '\u009b\u202e\n' }
  expect(formatRows([row], format) + formatLine(row, format)).toBe(expected)
})

/** A command as typed, on a server with this answer at a path below `/slotwire/`. */
async function typed(line: string, path: string, answer: unknown) {
  const server = await originalServices({
    '/slotwire': [200, { name: 'slotwire' }],
    '/slotwire/state': [200, { modules: [], leases: [] }],
    [path]: [200, answer],
  })
  const commands = { alerts: alertsCommand, events: eventsCommand, get: getCommand, history: historyCommand }
  const [name = '', ...words] = line.split(' ')
  const command = { ...commands, lease: leaseCommand, watch: watchCommand }[name] ?? getCommand
  return { ...server, ended: runCommand(command(server.context), [...words, '--url', server.url]) }
}

const record = { id: '1-1', at: '', kind: 'write' }

it.each([
  ['history', '/slotwire/history', { records: [record], next: '1-1' }],
  ['history', '/slotwire/history', { records: [null], next: '1-1' }],
  ['lease list', '/slotwire/leases', {}],
  ['lease list', '/slotwire/leases', null],
  ['lease list', '/slotwire/leases', { leases: [null] }],
  ['lease take 3 --holder a', '/slotwire/leases', null],
  ['lease take 3 --holder a', '/slotwire/leases', { number: 1, secret: 5, expires_at: '' }],
  ['lease take 3 --holder a', '/slotwire/leases', { number: '\u009b', secret: 'a', expires_at: '' }],
  ['get 3', '/slotwire/state', {}],
  ['watch 3/1 --since 1m', '/slotwire/past', { ago_milliseconds: [5], series: [{ pin: 1, values: [] }] }],
])('%s refuses the answer of %s: %j', async (line, path, answer) => {
  const { ended, written } = await typed(line, path, answer)
  await ended
  expect(written).toEqual({
    printed: '',
    hinted: expect.stringContaining('the answer does not have the form') as unknown,
    exitCode: 3,
  })
})

it('watch --since prints a gap of the past as a line without a value', async () => {
  const series = [{ pin: 1, pin_type: 'voltage_millivolt', values: [5, null, 7] }]
  const answer = { ago_milliseconds: [9, 6, 3], series }
  const { ended, written, stop } = await typed('watch 3/1 --since 1m --csv', '/slotwire/past', answer)
  await expect.poll(() => written.printed).toMatch(/^\S+Z,3\/1,5,mV\n\S+Z,3\/1,,\n\S+Z,3\/1,7,mV\n/)
  stop()
  await ended
})

it.each([
  ['watch 3/1', 'the event stream is broken: a message is no JSON object', 'data: nope\n\n'],
  ['events', 'the event stream is broken: a message is longer than 1048576 characters', 'x'.repeat(1_048_577)],
  ['alerts 3/1', 'the event stream ended', ''],
])('%s says once that it opens the event stream again: %s', async (line, said, stream) => {
  const { ended, written, stop, requests } = await typed(line, '/slotwire/events', stream)
  await expect.poll(() => requests.filter((request) => request.startsWith('/slotwire/events')).length).toBeGreaterThan(2)
  stop()
  await ended
  expect(written.hinted).toBe(`slotwire: ${said}; trying again\n`)
})
