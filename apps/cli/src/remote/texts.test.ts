import { readFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { remedies as published } from '@slotwire/bridge'
import { ClientError, inWordsOf } from '@slotwire/client'
import { describe, expect, it } from 'vitest'
import { inRoot } from '../../../../tools/setup/root.mjs'
import { ask } from '../terminal/standard-streams.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { Contexts } from './contexts.ts'
import { LiveTable, sparkline } from './live-commands.ts'
import { remedies as ofCommands } from './with-device.ts'

it.each([
  [[], ''],
  [[5], '▁'],
  [[0, 0], '▁▁'],
  [[0, 7], '▁█'],
  [[1, 2, 3], '▁▅█'],
])('draws %j as %s', (values, expected) => expect(sparkline(values)).toBe(expected))

describe('LiveTable', () => {
  const drawn = (columns = 80) => {
    const written: string[] = []
    const table = new LiveTable((text) => written.push(text), { columns })
    return { table, last: () => written.at(-1) ?? '' }
  }

  it('draws all pins again at each change, in place', () => {
    const { table, last } = drawn()
    table.set('3/1', 5000, 'mV')
    expect(last()).toBe('\x1b[?7l\x1b[2K3/1       5000 mV  ▁ \n\x1b[?7h')
    table.set('3/2', 1, '')
    expect(last()).toMatch(/^\x1b\[\?7l\x1b\[1A.*3\/1.*\n.*3\/2 +1 .*\n\x1b\[\?7h$/)
    table.set('3/1', 0, 'mV')
    expect(last()).toMatch(/^\x1b\[\?7l\x1b\[2A.*3\/1 +0 mV {2}█▁ \n/)
  })

  it('shows quantity and name of a pin behind its values', () => {
    const { table, last } = drawn()
    table.set('3/1', 3000, 'mV', '5 bar pump\u009b')
    expect(last()).toContain('3000 mV  ▁ 5 bar pump\\u{9b}\n')
  })

  it('keeps as many values as fit', () => {
    const { table, last } = drawn(35)
    for (let value = 0; value < 9; value++) table.set('3/1', value, 'mV')
    expect(last()).toContain(`  ${sparkline([4, 5, 6, 7, 8])} \n`)
  })

  it('shows an alert for some redraws', () => {
    const { table, last } = drawn()
    table.flash('3/1', ['custom_voltage_alert', '\u009b'])
    expect(last()).toContain('custom_voltage_alert \\u{9b}')
    for (let value = 0; value < 8; value++) table.set('3/1', value, 'mV')
    expect(last()).not.toContain('custom_voltage_alert')
  })
})

it('names the remedy if the folder of the contexts cannot be used', () => {
  const contexts = new Contexts({ environment: { XDG_CONFIG_HOME: '/dev/null' }, home: () => '/' })
  const add = () => contexts.add('lab', { url: 'http://127.0.0.1:1' })
  expect(add).toThrow(UsageError)
  expect(add).toThrow('set XDG_CONFIG_HOME to a folder of yours')
})

/** A terminal on which the user types these characters, or a process that is stopped. */
function asked(typed: string, stopped: Promise<unknown> = new Promise(() => undefined)) {
  const [input, output] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY: true })]
  const answer = ask('Sure? ', input, output, () => stopped)
  input.write(typed)
  return answer
}

it.each([
  ['y\n', true],
  ['YES\n', true],
  ['\n', false],
  ['yellow\n', false],
  ['\x03', false],
  ['\x04', false],
])('takes %j as %s', async (typed, expected) => expect(await asked(typed)).toBe(expected))

it('takes a stop signal as no', async () => expect(await asked('', Promise.resolve())).toBe(false))

const REQUEST = /\b(GET|POST|PUT|DELETE) |Slotwire-|If-Match|Bearer|root of each service/
/** Code and message of each row of the table, which is that of the declared errors. */
const rows = [...readFileSync(inRoot('docs', 'errors.md'), 'utf8').matchAll(/^\| `([^`]+)` \| \d{3} \| `([^`]+)` \|/gm)]
const forRequests = rows.filter(([, code = '', message = '']) => REQUEST.test(message) && !code.startsWith('bench-'))

it.each(forRequests.map(([, code = '', message = '']) => ({ code, message })))(
  'an error whose remedy is a request $code: has a remedy of the command line and of MQTT',
  ({ code, message }) => {
    for (const remedies of [ofCommands, published]) {
      const text = inWordsOf(remedies, new ClientError(`POST /api: ${message}`, { kind: 'refused', code, request: 'POST /api' }))
      expect(text).not.toMatch(REQUEST)
      expect(text).toContain(message.slice(0, message.lastIndexOf(': ')))
    }
  },
)
