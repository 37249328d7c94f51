import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCommand, testContext } from '../command.testkit.ts'
import { commands } from '../commands.ts'
import { NOW } from './fake-installation.testkit.ts'
import * as remedies from './slotwire-commands.ts'

const { SETTINGS_IN_REMEDIES, SERVE_HELP, SERVE_ELSEWHERE, setting, servingWith, ...ofAPlace } = remedies
const KEYS = Object.keys(SETTINGS_IN_REMEDIES) as (keyof typeof SETTINGS_IN_REMEDIES)[]

let folder: string
beforeEach(() => {
  // A shell would take it apart.
  folder = mkdtempSync(join(tmpdir(), "slotwire it's "))
})
afterEach(() => rmSync(folder, { recursive: true }))

const state = () => join(folder, 'state')
/** What people fill in. */
const filled = (text: string): string =>
  text
    .replace('<number>', '8123')
    .replace('<address>', '127.0.0.1')
    .replace('<dir>', '/srv/state')
    .replaceAll('FILE', '/srv/file.pem')

/** The command that is meant, and the words behind its name, as a shell hands them over. */
async function typed(text: string) {
  const words = execFileSync('bash', ['-c', `printf '%s\\0' ${filled(text)}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)
  const [program, name = '', ...more] = words
  expect(program).toBe('slotwire')
  const { context, said } = testContext(folder, NOW)
  const command = await commands[name]?.({
    ...context,
    announce: context.print,
    setExitCode: () => undefined,
    stopped: () => new Promise(() => undefined),
  })
  if (command === undefined) throw new Error(`there is no command ${name}`)
  return { command, words: more, said }
}

/** Resolves when the command line is one that the program takes; nothing is done. */
async function parse(text: string): Promise<void> {
  const { command, words } = await typed(text)
  let taken = 0
  const instead = (each: Command): void => {
    each.commands.forEach(instead)
    if (each.commands.length === 0)
      each.action(() => {
        taken++
      })
  }
  instead(command)
  await runCommand(command, words)
  expect(taken).toBe(1)
}

describe('what a remedy has people type', () => {
  it.each(KEYS)('changes the setting %s', async (key) => {
    const { command, words, said } = await typed(setting(key, { state: state() }))
    await runCommand(command, words)
    expect(said.printed).toContain(`Changed: ${key}.`)
  })

  it.each(Object.entries(ofAPlace))('is taken by the program: %s', async (_, text) => {
    await parse(text({ state: state() }))
  })

  it('starts the service otherwise', async () => {
    await parse(SERVE_ELSEWHERE)
    await parse(servingWith('--port <number>', { unit: undefined }))
    const { command, words, said } = await typed(SERVE_HELP)
    command.configureOutput({ writeOut: (text) => (said.printed += text) })
    await expect(runCommand(command, words)).rejects.toMatchObject({ code: 'commander.helpDisplayed' })
    expect(said.printed).toContain('--port <number>')
  })

  it('is refused here when it is mistyped', async () => {
    await expect(parse('slotwire cert renw --state /srv')).rejects.toMatchObject({ exitCode: 1 })
    await expect(parse('slotwire serve --prot 8123')).rejects.toMatchObject({ code: 'commander.unknownOption' })
  })

  it('stands nowhere but where it is tried', () => {
    const command = new RegExp(`\\bslotwire (${Object.keys(commands).join('|')})\\b`)
    const isComment = (line: string): boolean => /^\s*(\/\*\*|\*|\/\/)/.test(line)
    const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !/\.(test|testkit)\.ts$/.test(name),
    )
    const named = files.filter((name) => {
      const lines = readFileSync(join(import.meta.dirname, name), 'utf8').split('\n')
      return lines.some((line) => command.test(line) && !isComment(line))
    })
    expect(named).toEqual(['slotwire-commands.ts'])
  })
})
