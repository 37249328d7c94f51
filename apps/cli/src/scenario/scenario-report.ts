import { formatReport } from '@slotwire/scenario'
import { type Colors as AllColors, colors as ownColors } from '../terminal/colors.ts'
import type { TimedResult } from './scenario-run.ts'

const MS_PER_SECOND = 1000

type Colors = Pick<AllColors, 'green' | 'red'>

/** What became of one: a line when it passed, everything that went wrong otherwise. */
export function reportOf(result: TimedResult, colors: Colors = ownColors): string {
  const [first = '', ...others] = formatReport(result).split('\n')
  const [verdict = ''] = first.split(' ')
  const color = result.ok ? colors.green : colors.red
  const head = `${color(verdict)}${first.slice(verdict.length)}, ${(result.realMs / MS_PER_SECOND).toFixed(2)} s of real time`
  return `${[head, ...others].join('\n')}\n${result.ok ? '' : '\n'}`
}

/** The last line, where there was more than one: `10 scenarios: 8 passed, 1 failed, 1 stopped`. */
export function summaryOf(results: readonly TimedResult[], count: number): string {
  if (count < 2) return ''
  const passed = results.filter(({ ok }) => ok).length
  const failed = results.filter(({ failureCount }) => failureCount > 0).length
  const others = { stopped: results.length - passed - failed, 'not run': count - results.length }
  const rest = Object.entries(others).map(([what, many]) => (many === 0 ? '' : `, ${many} ${what}`))
  return `${count} scenarios: ${passed} passed, ${failed} failed${rest.join('')}\n`
}
