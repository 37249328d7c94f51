import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { runInProcess, testContext } from './command.testkit.ts'
import { commands } from './commands.ts'

const { context: program } = testContext('/nowhere', 0)
const load = (name: string): Promise<Command> | undefined => commands[name]?.(program)

/** A command and its subcommands, as typed. */
const typed = (command: Command, before = ''): string[] => {
  const line = `${before}${command.name()}`
  return [line, ...command.commands.flatMap((each) => typed(each, `${line} `))]
}
const names = await Promise.all(Object.values(commands).map(async (make) => typed(await make(program))))

const words = (line: string): readonly string[] => line.split(' ').filter(Boolean)

/** Parses the words of a command line, and runs nothing. */
async function parse([name = '', ...more]: readonly string[]): Promise<void> {
  const command = await load(name)
  if (command === undefined) return expect(`${name} ${more.join(' ')}`).toMatch(/^help \S+$/)
  for (const each of [command, ...command.commands]) {
    each.exitOverride().configureOutput({ writeErr: () => undefined })
    if (each.commands.length === 0) each.action(() => undefined)
  }
  await command.parseAsync(more, { from: 'user' })
}

describe.each(['', ...names.flat().map((name) => `${name} `)])('slotwire %s--help', (name) => {
  it('fits 80 columns, with one line for each option, argument and command', async () => {
    const { code, output } = await runInProcess(...words(name), '--help')
    expect(code).toBe(0)
    expect(output.split('\n').filter((line) => line.length > 80)).toEqual([])
    // Commander indents a description that continues on the next line.
    expect(output.split('\n').filter((line) => line.startsWith('   '))).toEqual([])
    const options = output.split('\n').filter((line) => line.startsWith('  -'))
    expect(options.filter((line) => !/^ {2}-\S.* {2}[A-Z]\w+ /.test(line))).toEqual([])
  })

  it('ends with one to three examples that parse', async () => {
    const { output } = await runInProcess(...words(name), '--help')
    const lines = output.split('\nExamples:\n')[1]?.trimEnd().split('\n') ?? []
    expect(lines.length).toBeGreaterThanOrEqual(1)
    expect(lines.length).toBeLessThanOrEqual(3)
    for (const line of lines) {
      const [command, ...typedWords] = words(line.replace(/ > .*/, ''))
      expect(command).toBe('slotwire')
      expect(`${typedWords.join(' ')} `).toContain(name)
      await parse(typedWords)
    }
  })
})

it.each([['--a\x1b[2J'], ['serve', '--port', '\x1b[2J\n80']])('shows the control characters of %j as text', async (...line) => {
  const { errors } = await runInProcess(...line)
  expect(errors).toMatch(/^slotwire: [^\x00-\x1f]*\\u\{1b\}\[2J[^\x00-\x1f]*\n$/)
})
