import type { CommandContext } from '../terminal/command-context.ts'

/** What the commands for a device need from this program. */
export interface RemoteContext extends CommandContext {
  readonly setExitCode: (code: number) => void
  /** Resolves at the first SIGINT or SIGTERM. */
  readonly stopped: () => Promise<unknown>
  /** Whether standard output is a terminal, and its width. */
  readonly terminal: { readonly columns: number } | undefined
  /** Asks the user yes or no; undefined without a terminal. */
  readonly ask: ((question: string) => Promise<boolean>) | undefined
  /** Reads standard input to its end. */
  readonly input: () => Promise<string>
}
