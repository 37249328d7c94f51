import type { Clock } from '@slotwire/core'
import type { Installation } from './installation.ts'

export const OUTCOMES = ['ok', 'warning', 'failure'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** Under which checks are shown, in this order. */
export const GROUPS = ['Program', 'Hardware', 'Ports', 'State', 'Time'] as const

/** What came of looking. */
export interface Finding {
  readonly outcome: Outcome
  readonly found: string
  /** One sentence, with a command that works where there is one; whatever is not ok has it. */
  readonly remedy?: string | undefined
  /** One of several things that a check looks at; undefined: the check's own name says it. */
  readonly name?: string | undefined
}

/** One thing that a service needs. It changes nothing and holds nothing; whoever runs it ends it when it takes too long. */
export interface Check {
  readonly name: string
  readonly group: (typeof GROUPS)[number]
  /** Whether it is about real modules: left out where there are none. */
  readonly isForHardware: boolean
  /** Whether it is about one service, with its ports and its state folder, not about the machine. */
  readonly isPerService?: true
  /** What is looked at. */
  readonly subject: (installation: Installation) => string
  readonly run: (installation: Installation, clock: Clock) => Promise<readonly Finding[]> | readonly Finding[]
}

export const ok = (found: string, name?: string): Finding => ({ outcome: 'ok', found, name })

export const warning = (found: string, remedy: string, name?: string): Finding => ({ outcome: 'warning', found, remedy, name })

export const failure = (found: string, remedy: string, name?: string): Finding => ({ outcome: 'failure', found, remedy, name })
