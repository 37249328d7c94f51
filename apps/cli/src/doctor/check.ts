import type { Clock } from '@slotwire/core'
import type { Service, Subject } from './subject.ts'

export type Outcome = 'ok' | 'warning' | 'failure'

/** The report shows checks under these headings, in this order. */
export const GROUPS = ['Service', 'Hardware', 'State', 'Time'] as const

/** One line of the report. */
export interface Finding {
  readonly outcome: Outcome
  readonly found: string
  /** One sentence, with a command where one helps; every finding that is not ok has it. */
  readonly remedy?: string | undefined
  /** If not given, the name of the check. */
  readonly name?: string | undefined
}

export type Group = (typeof GROUPS)[number]

/** One thing that a service needs. It changes nothing. It may block and throw: its caller has a deadline and reports both as a failure. */
export interface Check {
  readonly name: string
  /** `Hardware` is left out for a virtual device. */
  readonly group: Group
  /** What is looked at: a file, a folder, an address. */
  readonly lookedAt: (subject: Subject) => string
  readonly run: (subject: Subject, clock: Clock) => Promise<readonly Finding[]> | readonly Finding[]
}

export const ok = (found: string, name?: string): Finding => ({ outcome: 'ok', found, name })

export const warning = (found: string, remedy: string, name?: string): Finding => ({ outcome: 'warning', found, remedy, name })

export const failure = (found: string, remedy: string, name?: string): Finding => ({ outcome: 'failure', found, remedy, name })

type Judge = (service: Service, subject: Subject, clock: Clock) => Promise<readonly Finding[]> | readonly Finding[]

/** A check of each service on its own. If there are several, the name of each line says which one it is about. */
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
