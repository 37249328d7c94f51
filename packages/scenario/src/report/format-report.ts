import { attributes, escaped, visible } from '@slotwire/core'
import type { Failure, ScenarioResult, StepOutcome } from '../run/result.ts'
import { timeLabel } from './chart.ts'

/** Result of a scenario as plain text for people; without a final line end. */
export function formatReport(result: ScenarioResult): string {
  const { scenario, ok, failures, failureCount, steps, durationMs, stopped } = result
  const isTwin = scenario.seed !== undefined
  const about = `${visible(scenario.name)} (${visible(scenario.file)})${isTwin ? `, seed ${scenario.seed}` : ''}`
  const lasted = `${timeLabel(durationMs)} ${isTwin ? 'of twin time' : 'on the device'}`
  if (ok) return `passed  ${about}: ${counted(steps.length, 'step')}, ${lasted}`
  const skipped = steps.filter(({ state }) => state === 'skipped').length
  const head = `FAILED  ${about}: ${failureCount} of ${counted(steps.length, 'step')} failed, ${lasted}`
  const ended =
    stopped === undefined
      ? []
      : [`        ${visible(stopped)}${skipped === 0 ? '' : `; ${counted(skipped, 'step')} did not run`}`]
  const more = failureCount - failures.length
  const rest = more > 0 ? [`\n  and ${counted(more, 'step')} more`] : []
  return [head, ...ended, ...failures.map((failure) => `\n${indented(failureText(failure), '  ')}`), ...rest].join('\n')
}

/** Place, step, expected and actual value of a failure, and the waveforms. */
function failureText(failure: Failure): string {
  return [...failureLines(failure), ...failure.charts.map((chart) => `\n${indented(chart, '  ')}`)].join('\n')
}

/** Place, step, expected and actual value of a failure. */
export function failureLines({ file, line, column, text, atMs, expected, seen }: Failure): readonly string[] {
  return [
    `${visible(file)}:${line}:${column} at ${timeLabel(atMs)}`,
    `  ${visible(text)}`,
    `  expected  ${visible(expected)}`,
    `  saw       ${visible(seen)}`,
  ]
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

function indented(text: string, by: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : `${by}${line}`))
    .join('\n')
}

const MS_PER_SECOND = 1000

/** Results of scenarios as JUnit XML: a suite per scenario, a case per step. Times are twin time, in seconds. */
export function formatJunit(results: readonly ScenarioResult[]): string {
  const suites = results.map(suite)
  const totals = attributes({
    name: 'slotwire scenarios',
    tests: sum(results.map(({ steps }) => steps.length)),
    failures: sum(results.map(({ failureCount }) => failureCount)),
    time: seconds(sum(results.map(({ durationMs }) => durationMs))),
  })
  return ['<?xml version="1.0" encoding="UTF-8"?>', `<testsuites${totals}>`, ...suites, '</testsuites>', ''].join('\n')
}

function suite(result: ScenarioResult): string {
  const { scenario, steps, failures, failureCount, durationMs } = result
  const of = attributes({
    name: scenario.name,
    file: scenario.file,
    tests: steps.length,
    failures: failureCount,
    skipped: steps.filter(({ state }) => state === 'skipped').length,
    time: seconds(durationMs),
  })
  const failuresOf = (index: number): readonly Failure[] => failures.filter(({ step }) => step === index)
  const cases = steps.map((step, index) => testCase(step, result, failuresOf(index)))
  return [`  <testsuite${of}>`, ...cases, '  </testsuite>'].join('\n')
}

function testCase(
  { line, text, state, beganMs, endedMs }: StepOutcome,
  { scenario, stopped }: ScenarioResult,
  failures: readonly Failure[],
): string {
  const of = attributes({
    name: `line ${line}: ${text}`,
    classname: scenario.name,
    file: scenario.file,
    line,
    time: seconds(endedMs - beganMs),
  })
  if (state === 'passed') return `    <testcase${of}/>`
  return [`    <testcase${of}>`, ...outcome(state, failures, stopped), '    </testcase>'].join('\n')
}

function outcome(state: StepOutcome['state'], failures: readonly Failure[], stopped: string | undefined): readonly string[] {
  if (state === 'skipped') return [`      <skipped${attributes({ message: stopped ?? 'it did not run' })}/>`]
  if (failures.length === 0) return ['      <failure message="one of many; see the first ones"/>']
  return failures.map((failure) => {
    const message = attributes({ message: `expected ${failure.expected}; saw ${failure.seen}` })
    return `      <failure${message}>${escaped(failureText(failure))}</failure>`
  })
}

function seconds(ms: number): string {
  return (ms / MS_PER_SECOND).toFixed(3)
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0)
}
