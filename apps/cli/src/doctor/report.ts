import { visible } from '@slotwire/core'
import type { Colors as AllColors } from '../terminal/colors.ts'
import { type Check, type Finding, GROUPS, type Outcome } from './check.ts'
import type { CheckResults } from './check-process.ts'
import type { Subject } from './subject.ts'

/** Longest text from outside to show, in characters. */
const MOST_CHARACTERS = 600

/** One line of the report. */
export interface DiagnosedCheck extends Pick<Check, 'name' | 'group'>, Pick<Finding, 'outcome' | 'found'> {
  readonly lookedAt: string
  /** Null: nothing to do. */
  readonly remedy: string | null
}

/** The report as JSON. */
export interface Diagnosis {
  readonly hardware: Subject['hardware']
  readonly user: string
  readonly failures: number
  readonly warnings: number
  readonly checks: readonly DiagnosedCheck[]
}

/** Makes every text safe for a terminal. */
export function diagnosisOf({ subject, results }: CheckResults): Diagnosis {
  const checks = results.flatMap(([check, findings]) =>
    findings.map(({ name = check.name, outcome, found, remedy }) => ({
      group: check.group,
      name: visible(name, MOST_CHARACTERS),
      lookedAt: visible(check.lookedAt(subject), MOST_CHARACTERS),
      outcome,
      found: visible(found, MOST_CHARACTERS),
      remedy: remedy === undefined ? null : visible(remedy, MOST_CHARACTERS),
    })),
  )
  const count = (wanted: Outcome): number => checks.filter(({ outcome }) => outcome === wanted).length
  const { hardware, user } = subject
  return { hardware, user: user.name, failures: count('failure'), warnings: count('warning'), checks }
}

type Colors = Pick<AllColors, 'bold' | 'green' | 'yellow' | 'red'>

/** Text for people: a line for each finding with its remedy below, the totals at the end. */
export function formatDiagnosis({ checks, failures, warnings }: Diagnosis, about: string, colors: Colors): string {
  const paint = { ok: colors.green, warning: colors.yellow, failure: colors.red }
  const width = Math.max(...checks.map(({ name }) => name.length))
  const indent = ' '.repeat('  failure  '.length)
  const line = ({ outcome, name, found, remedy }: DiagnosedCheck): string => {
    const advice = remedy === null ? '' : `${indent}→ ${remedy}\n`
    return `  ${paint[outcome](outcome.padEnd('failure'.length))}  ${name.padEnd(width)}  ${found}\n${advice}`
  }
  const groups = GROUPS.flatMap((group) => {
    const lines = checks.filter((check) => check.group === group).map(line)
    return lines.length === 0 ? [] : [`${colors.bold(group)}\n${lines.join('')}`]
  })
  const many = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`
  const sum = `${many(checks.length, 'check')}: ${many(failures, 'failure')}, ${many(warnings, 'warning')}`
  const worst = failures > 0 ? 'failure' : warnings > 0 ? 'warning' : 'ok'
  return `${[visible(about, MOST_CHARACTERS), ...groups, paint[worst](sum)].join('\n')}\n`
}
