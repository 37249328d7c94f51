import { attributes, escaped } from '@slotwire/core'
import type { Failure, ScenarioResult, StepOutcome } from '../run/result.ts'
import { failureText } from './format-report.ts'

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
