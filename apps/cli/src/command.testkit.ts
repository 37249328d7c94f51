import { join } from 'node:path'
import { SystemClock } from '@slotwire/core'
import type { Command } from 'commander'
import { runProgram } from './program.ts'
import type { CommandContext } from './terminal/command-context.ts'

/** Context of a command that runs in the process of a test: keeps its output, and `ada` is the caller of `sudo`. */
export function testContext(folder: string, date: number) {
  const written = { printed: '', hinted: '' }
  const context: CommandContext = {
    print: (text) => {
      written.printed += text
    },
    hint: (text) => {
      written.hinted += text
    },
    environment: { SUDO_USER: 'ada' },
    platform: 'linux',
    home: () => join(folder, 'no home'),
    clock: new SystemClock(),
    wallTime: () => date,
  }
  return { context, written }
}

/** Runs a command with words as typed. Rejects as the command does, and for unknown words. */
export async function runCommand(command: Command, words: readonly string[]): Promise<void> {
  for (const each of [command, ...command.commands]) each.exitOverride().configureOutput({ writeErr: () => undefined })
  await command.parseAsync([...words], { from: 'user' })
}

/** Runs the whole program with words as typed, in this process. */
export async function runInProcess(...words: readonly string[]) {
  const { context, written } = testContext('/nowhere', 0)
  let code = 0
  const setExitCode = (exitCode: number): void => {
    code = exitCode
  }
  await runProgram(words, { ...context, announce: context.print, setExitCode, stopped: () => new Promise(() => undefined) })
  return { code, output: written.printed, errors: written.hinted }
}
