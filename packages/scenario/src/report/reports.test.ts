import { catalog } from '@slotwire/device/twin'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../../../core/src/any-character.testkit.ts'
import { parseScenario } from '../parse-scenario.ts'
import type { Failure, ScenarioResult, StepOutcome } from '../run/result.ts'
import { power, runText } from '../run/running.testkit.ts'
import { formatProblem } from '../scenario.ts'
import { formatJunit, formatReport } from './format-report.ts'

const step: StepOutcome = { kind: 'short', line: 4, column: 5, text: 'short: 3/2', state: 'passed', beganMs: 0, endedMs: 20 }
const passed: ScenarioResult = {
  scenario: { file: 'examples/a.yaml', name: 'a', description: undefined, seed: 7 },
  ok: true,
  durationMs: 20_000,
  steps: [step],
  failures: [],
  failureCount: 0,
  stopped: undefined,
}
const failure: Failure = {
  step: 1,
  file: 'examples/a.yaml',
  line: 6,
  column: 5,
  text: 'expect: { pin: 3/2, volts: 5 }',
  atMs: 3000,
  expected: 'pin 3/2 volts: 5 V',
  seen: '0 V',
  charts: ['pin 3/2, in volts\n  5 ┤─'],
  waveforms: [],
}
const failed: ScenarioResult = {
  ...passed,
  ok: false,
  steps: [step, { ...step, line: 6, text: failure.text, state: 'failed' }, { ...step, state: 'skipped' }],
  failures: [failure],
  failureCount: 1,
  stopped: 'it was stopped',
}

describe('formatReport', () => {
  it('returns one line for a passed scenario', () => {
    expect(formatReport(passed)).toBe('passed  a (examples/a.yaml), seed 7: 1 step, 20 s of twin time')
  })

  it('reports the failed step with place, expected and actual value, and waveform', () => {
    expect(formatReport(failed)).toBe(`FAILED  a (examples/a.yaml), seed 7: 1 of 3 steps failed, 20 s of twin time
        it was stopped; 1 step did not run

  examples/a.yaml:6:5 at 3 s
    expect: { pin: 3/2, volts: 5 }
    expected  pin 3/2 volts: 5 V
    saw       0 V

    pin 3/2, in volts
      5 ┤─`)
  })

  it('escapes control characters', () => {
    const evil = 'a\n\x1b[31m\x9b1m\u202eb'
    const shown = 'a\\n\\u{1b}[31m\\u{9b}1m\\u{202e}b'
    const evilParts = { file: evil, text: evil, expected: evil, seen: evil, charts: [] }
    const scenario = { ...failed.scenario, name: evil, file: evil }
    expect(formatReport({ ...failed, scenario, failures: [{ ...failure, ...evilParts }], stopped: evil })).toBe(
      `FAILED  ${shown} (${shown}), seed 7: 1 of 3 steps failed, 20 s of twin time
        ${shown}; 1 step did not run

  ${shown}:6:5 at 3 s
    ${shown}
    expected  ${shown}
    saw       ${shown}`,
    )
    expect(formatProblem({ file: evil, line: 1, column: 2, message: evil })).toBe(`${shown}:1:2: ${shown}`)
    expect(parseScenario('steps:\n  - short: 3/1', { file: `${evil}.yaml`, catalog }).name).toBe(shown)
  })

  it('escapes control characters in names of a body', async () => {
    const result = await runText('steps:\n  - expect: { get: io/3/descriptor, body: { "x\\e[31m": "\\u009b1m" } }')
    expect(formatReport(result)).toContain('descriptor x\\u{1b}[31m: "\\u{9b}1m"')
  })

  it('reports the number of omitted failures', () => {
    expect(formatReport({ ...failed, failureCount: 30 })).toMatch(/\n\n {2}and 29 steps more$/)
  })

  it('shows the waveform before an alert switched the pin back to analog', async () => {
    const result = await runText(`
steps:${power(3)}
  - request: { post: io/3/output/state, body: { pin: 2, state: high } }
  - at: 2s
    connect: { pin: 3/2, to: { resistor: 20 } }
  - at: 2200ms
    expect: { notification: 3/2, high_current_alert: false }
`)
    const [chart = ''] = result.failures[0]?.charts ?? []
    const lines = chart.split('\n')
    expect(lines[0]).toBe('pin 3/2, in volts')
    // High before the alert, pulled down for the 2 ms until the alert, an analog input afterwards.
    expect(lines[1]).toMatch(/^ {3}5\.15 ┤─+│$/)
    expect(lines[9]).toMatch(/^ {3}0\.00 ┤ +│─{50,}$/)
    expect(lines.at(-1)).toMatch(/^ +1\.97 s +2\.2 s$/)
  })
})

/** Whether a text is well-formed XML of elements, attributes and text with known entities. */
function isWellFormed(xml: string): boolean {
  const text = String.raw`(?:[^<&\0-\x08\x0b\x0c\x0e-\x1f]|&(?:amp|lt|gt|quot|apos|#\d+);)*`
  const attribute = String.raw`\s+[a-z]+="(?:[^"<&\0-\x08\x0b\x0c\x0e-\x1f]|&(?:amp|lt|gt|quot|apos|#\d+);)*"`
  const tag = new RegExp(`<(/?)([a-z]+)((?:${attribute})*)(/?)>`, 'gu')
  const body = xml.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, '')
  if (body === xml || !new RegExp(`^${text}(?:${tag.source}${text})+$`, 'u').test(body) || /\p{Cs}/u.test(body)) return false
  const open: string[] = []
  for (const [, closes, name = '', , isEmpty] of body.matchAll(tag)) {
    if (closes === '/' && open.pop() !== name) return false
    if (closes === '' && isEmpty === '') open.push(name)
  }
  return open.length === 0
}

describe('formatJunit', () => {
  it('has a suite for each scenario, and a case for each step', () => {
    expect(formatJunit([passed, failed])).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="slotwire scenarios" tests="4" failures="1" time="40.000">
  <testsuite name="a" file="examples/a.yaml" tests="1" failures="0" skipped="0" time="20.000">
    <testcase name="line 4: short: 3/2" classname="a" file="examples/a.yaml" line="4" time="0.020"/>
  </testsuite>
  <testsuite name="a" file="examples/a.yaml" tests="3" failures="1" skipped="1" time="20.000">
    <testcase name="line 4: short: 3/2" classname="a" file="examples/a.yaml" line="4" time="0.020"/>
    <testcase name="line 6: expect: { pin: 3/2, volts: 5 }" classname="a" file="examples/a.yaml" line="6" time="0.020">
      <failure message="expected pin 3/2 volts: 5 V; saw 0 V">examples/a.yaml:6:5 at 3 s
  expect: { pin: 3/2, volts: 5 }
  expected  pin 3/2 volts: 5 V
  saw       0 V

  pin 3/2, in volts
    5 ┤─</failure>
    </testcase>
    <testcase name="line 4: short: 3/2" classname="a" file="examples/a.yaml" line="4" time="0.020">
      <skipped message="it was stopped"/>
    </testcase>
  </testsuite>
</testsuites>
`)
  })

  it('escapes markup as entities, and replaces characters that XML cannot represent with U+FFFD', () => {
    const odd = formatJunit([{ ...failed, failures: [{ ...failure, seen: '<a> & "b" \'c\' \0\u001b[1m\ud800\uffff]]>' }] }])
    expect(odd).toContain('saw &lt;a&gt; &amp; &quot;b&quot; &apos;c&apos; \ufffd\ufffd[1m\ufffd\ufffd]]&gt;')
    expect(isWellFormed(odd)).toBe(true)
  })

  it('is well-formed for any values', () => {
    const text = fc.string({ unit: anyCharacter })
    fc.assert(
      fc.property(text, text, text, (name, seen, stopped) => {
        const result = { ...failed, scenario: { ...failed.scenario, name }, failures: [{ ...failure, seen }], stopped }
        expect(isWellFormed(formatJunit([result]))).toBe(true)
      }),
    )
  })
})
