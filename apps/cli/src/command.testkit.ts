import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SystemClock } from '@slotwire/core'
import type { AuditEntry } from '@slotwire/network'
import type { Command } from 'commander'
import { runProgram } from './program.ts'
import type { CommandContext } from './terminal/command-context.ts'

/** Context of a command that runs in the process of a test: keeps its output, and `ada` is the caller of `sudo`. */
export function testContext(folder: string, date: number) {
  const written = { printed: '', hinted: '', exitCode: 0 }
  const print = (text: string): void => {
    written.printed += text
  }
  const context: CommandContext = {
    print,
    announce: print,
    hint: (text) => {
      written.hinted += text
    },
    setExitCode: (code) => {
      written.exitCode = code
    },
    stopped: () => new Promise(() => undefined),
    terminal: undefined,
    ask: undefined,
    input: async () => '',
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

/** The options that a command which serves gets from these words. */
export async function optionsOf<Options>(
  make: (run: (options: Options) => Promise<void>) => Command,
  words: readonly string[],
): Promise<Options> {
  let parsed: Options | undefined
  const command = make(async (options) => {
    parsed = options
  })
  await runCommand(command, words)
  return parsed as Options
}

/** Runs the whole program with words as typed, in this process. */
export function runInProcess(...words: readonly string[]) {
  return runWith({}, ...words)
}

/** The same with another context. */
export async function runWith(more: Partial<CommandContext>, ...words: readonly string[]) {
  const { context, written } = testContext('/nowhere', 0)
  await runProgram(words, { ...context, ...more })
  return { code: written.exitCode, output: written.printed, errors: written.hinted }
}

/** The audit log in a state folder. */
export function auditedIn(state: string): readonly AuditEntry[] {
  const path = join(state, 'audit', 'changes.jsonl')
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : []
  return lines.map((line) => JSON.parse(line) as AuditEntry)
}
