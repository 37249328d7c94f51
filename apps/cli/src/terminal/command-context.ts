import type { Clock, WallTime } from '@slotwire/core'

/** What a command needs from this program. */
export interface CommandContext {
  /** Writes results on standard output. The text includes line ends. */
  readonly print: (text: string) => void
  /** Writes remarks and errors on standard error, in the same way. */
  readonly hint: (text: string) => void
  readonly environment: NodeJS.ProcessEnv
  readonly platform: NodeJS.Platform
  /** The user's home folder. Throws `UsageError` without one. */
  readonly home: () => string
  readonly clock: Clock
  readonly wallTime: WallTime
}
