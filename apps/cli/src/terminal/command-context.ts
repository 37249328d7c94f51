import type { Clock, WallTime } from '@slotwire/core'

/** What a command has of its surroundings. */
export interface CommandContext {
  /** Standard output: what was asked for, with the ends of its lines. */
  readonly print: (text: string) => void
  /** Standard error: what else is worth knowing, likewise. */
  readonly hint: (text: string) => void
  readonly environment: NodeJS.ProcessEnv
  readonly platform: NodeJS.Platform
  /** The user's own folder. Throws `UsageError` where there is none. */
  readonly home: () => string
  readonly clock: Clock
  readonly wallTime: WallTime
}
