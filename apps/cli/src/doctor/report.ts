import { visible } from '@slotwire/core'
import type { Colors as AllColors } from '../terminal/text.ts'
import type { Finding } from './check.ts'

/** Longest text from outside to show, in characters. */
const MOST_CHARACTERS = 600
/** Headings of the report, in this order. */
const GROUPS = ['Service', 'Hardware', 'State', 'Time'] as const
export type Group = (typeof GROUPS)[number]

/** A line of the report. */
export interface NamedFinding extends Pick<Finding, 'outcome' | 'found'> {
  readonly group: Group
  readonly name: string
  /** Null: nothing to do. */
  readonly remedy: string | null
}

/** The report as JSON. */
export interface Diagnosis {
  readonly hardware: string
  readonly user: string
  readonly failures: number
  readonly warnings: number
  readonly checks: readonly NamedFinding[]
}

/** Makes every text safe for a terminal. */
export function diagnosisOf(about: Pick<Diagnosis, 'hardware' | 'user'>, findings: readonly NamedFinding[]): Diagnosis {
  const shown = (text: string): string => visible(text, MOST_CHARACTERS)
  const checks = findings.map(({ group, name, outcome, found, remedy }) => {
    const texts = { found: shown(found), remedy: remedy === null ? null : shown(remedy) }
    return { group, name: shown(name), outcome, ...texts }
  })
  const count = (wanted: Finding['outcome']): number => checks.filter(({ outcome }) => outcome === wanted).length
  return { ...about, failures: count('failure'), warnings: count('warning'), checks }
}

/** Text for people: a line for each finding with its remedy below, the totals at the end. */
export function formatDiagnosis({ checks, failures, warnings }: Diagnosis, about: string, colors: Colors): string {
  const paint = { ok: colors.green, warning: colors.yellow, failure: colors.red }
  const width = Math.max(...checks.map(({ name }) => name.length))
  const indent = ' '.repeat('  failure  '.length)
  const groups = GROUPS.flatMap((heading) => {
    const lines = checks.flatMap(({ group, outcome, name, found, remedy }) => {
      const line = `  ${paint[outcome](outcome.padEnd('failure'.length))}  ${name.padEnd(width)}  ${found}`
      return group !== heading ? [] : remedy === null ? [line] : [line, `${indent}→ ${remedy}`]
    })
    return lines.length === 0 ? [] : [colors.bold(heading), ...lines]
  })
  const many = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`
  const sum = `${many(checks.length, 'check')}: ${many(failures, 'failure')}, ${many(warnings, 'warning')}`
  const worst = failures > 0 ? 'failure' : warnings > 0 ? 'warning' : 'ok'
  return `${[visible(about, MOST_CHARACTERS), ...groups, paint[worst](sum)].join('\n')}\n`
}

type Colors = Pick<AllColors, 'bold' | 'green' | 'yellow' | 'red'>
