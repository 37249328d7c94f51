import type { Clock } from '@slotwire/core'
import type { Service, Subject } from './subject.ts'

export type Outcome = 'ok' | 'warning' | 'failure'

/** Headings of the report, in this order. */
export const GROUPS = ['Service', 'Hardware', 'State', 'Time'] as const

/** One line of the report. */
export interface Finding {
  readonly outcome: Outcome
  readonly found: string
  /** One sentence, with a command where one helps. Every finding that is not ok has one. */
  readonly remedy?: string | undefined
  /** Default: the name of the check. */
  readonly name?: string | undefined
}

export type Group = (typeof GROUPS)[number]

/**
 * Checks one thing that a service needs, and changes nothing. It may block or throw: the caller sets a deadline and reports both as
 * failures.
 */
export interface Check {
  readonly name: string
  /** The report leaves `Hardware` out for a virtual device. */
  readonly group: Group
  /** The file, folder or address that it examines. */
  readonly lookedAt: (subject: Subject) => string
  readonly run: (subject: Subject, clock: Clock) => Promise<readonly Finding[]> | readonly Finding[]
}

export const ok = (found: string, name?: string): Finding => ({ outcome: 'ok', found, name })

export const warning = (found: string, remedy: string, name?: string): Finding => ({ outcome: 'warning', found, remedy, name })

export const failure = (found: string, remedy: string, name?: string): Finding => ({ outcome: 'failure', found, remedy, name })

type Judge = (service: Service, subject: Subject, clock: Clock) => Promise<readonly Finding[]> | readonly Finding[]

/** Checks each service separately. With several services, each line names its service. */
export function perService(name: string, group: Group, lookedAt: (service: Service) => string, judge: Judge): Check {
  return {
    name,
    group,
    lookedAt: ({ services }) => services.map(lookedAt).join(', '),
    run: async (subject, clock) => {
      const judged = subject.services.map(async (service) => {
        const of = subject.services.length > 1 ? ` (${service.name})` : ''
        const findings = await judge(service, subject, clock)
        return findings.map((finding) => ({ ...finding, name: `${finding.name ?? name}${of}` }))
      })
      return (await Promise.all(judged)).flat()
    },
  }
}
