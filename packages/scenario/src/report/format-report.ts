import { visible } from '@slotwire/core'
import type { Failure, ScenarioResult } from '../run/result.ts'
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
export function failureText(failure: Failure): string {
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
