import type { Colors as AllColors } from '../terminal/colors.ts'
import { GROUPS, type Outcome } from './check.ts'
import type { CheckResult } from './check-process.ts'
import { harmless } from './host/harmless.ts'
import type { Installation } from './installation.ts'

/** One line of the report. */
export interface DiagnosedCheck {
  readonly group: string
  readonly name: string
  readonly lookedAt: string
  readonly outcome: Outcome
  readonly found: string
  /** Null: nothing is to be done. */
  readonly remedy: string | null
}

/** What the doctor says, as JSON has it. */
export interface Diagnosis {
  readonly hardware: 'kernel' | 'twin'
  readonly user: string
  readonly failures: number
  readonly warnings: number
  readonly checks: readonly DiagnosedCheck[]
}

/** Puts together what was found; all of it is harmless to a terminal. */
export function diagnosisOf(results: readonly CheckResult[], { hardware, user }: Machine): Diagnosis {
  const checks = onceForAll(results).flatMap(({ check, installation, findings, of }) =>
    findings.map(({ name = check.name, outcome, found, remedy }) => ({
      group: check.group,
      name: harmless(of === undefined ? name : `${name} (${of})`),
      lookedAt: harmless(check.subject(installation)),
      outcome,
      found: harmless(found),
      remedy: remedy === undefined ? null : harmless(remedy),
    })),
  )
  const count = (wanted: Outcome): number => checks.filter(({ outcome }) => outcome === wanted).length
  return { hardware, user: user.name, failures: count('failure'), warnings: count('warning'), checks }
}

/** What all services have in common is told once, the rest by the names of their units. */
function onceForAll(results: readonly CheckResult[]): readonly (CheckResult & { readonly of?: string | undefined })[] {
  const told = ({ findings }: CheckResult): string => JSON.stringify(findings)
  return results.flatMap((result) => {
    const same = results.filter(({ check }) => check === result.check)
    if (same.every((other) => told(other) === told(result))) return same[0] === result ? [result] : []
    return [{ ...result, of: result.installation.unit?.name.replace(/\.service$/, '') }]
  })
}

type Machine = Pick<Installation, 'hardware' | 'user'>
type Colors = Pick<AllColors, 'bold' | 'green' | 'yellow' | 'red'>

const OUTCOME_WIDTH = 'failure'.length

/** For people: a line for each check, below it what to do; the sum at the end. */
export function formatDiagnosis(diagnosis: Diagnosis, about: string, colors: Colors): string {
  const { checks, failures, warnings } = diagnosis
  const width = Math.max(...checks.map(({ name }) => name.length))
  const paint = { ok: colors.green, warning: colors.yellow, failure: colors.red }
  const line = ({ outcome, name, found, remedy }: DiagnosedCheck): string => {
    const indent = ' '.repeat(2 + OUTCOME_WIDTH + 2)
    const advice = remedy === null ? '' : `${indent}→ ${remedy}\n`
    return `  ${paint[outcome](outcome.padEnd(OUTCOME_WIDTH))}  ${name.padEnd(width)}  ${found}\n${advice}`
  }
  const groups = GROUPS.flatMap((group) => {
    const lines = checks.filter((check) => check.group === group).map(line)
    return lines.length === 0 ? [] : [`${colors.bold(group)}\n${lines.join('')}`]
  })
  const many = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`
  const sum = `${many(checks.length, 'check')}: ${many(failures, 'failure')}, ${many(warnings, 'warning')}`
  const painted = failures > 0 ? colors.red(sum) : warnings > 0 ? colors.yellow(sum) : colors.green(sum)
  return `${[harmless(about), ...groups, painted].join('\n')}\n`
}
