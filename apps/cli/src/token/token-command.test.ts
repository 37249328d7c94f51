import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromIsoTime, ManualClock, nextTurn, silentLog, systemRandom } from '@slotwire/core'
import { type AuditEntry, TokenStore } from '@slotwire/gateway'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UsageError } from '../terminal/usage-error.ts'
import { tokenCommand } from './token-command.ts'

const NOW = fromIsoTime('2026-11-21T12:00:00.000Z')
const SERVICES = ['bmc', 'io', 'power']

let state: string
let printed: string
let hinted: string
beforeEach(() => {
  state = join(mkdtempSync(join(tmpdir(), 'slotwire tokens ')), 'state')
  printed = ''
  hinted = ''
})
afterEach(() => rmSync(join(state, '..'), { recursive: true, force: true }))

/** Runs `slotwire token …` in this process; what it prints is in `printed`. */
async function token(...words: string[]): Promise<string> {
  printed = ''
  hinted = ''
  const context = {
    print: (text: string) => (printed += text),
    hint: (text: string) => (hinted += text),
    environment: { SUDO_USER: 'ada' },
    platform: 'linux' as const,
    home: () => join(state, 'no home'),
    clock: new ManualClock(),
    wallTime: () => NOW,
  }
  const command = tokenCommand(SERVICES, { ...context, random: systemRandom })
  for (const each of [command, ...command.commands]) each.exitOverride().configureOutput({ writeErr: () => undefined })
  await command.parseAsync([...words, '--state', state], { from: 'user' })
  return printed
}

const service = () =>
  new TokenStore({ folder: state, clock: new ManualClock(), wallTime: () => NOW, random: systemRandom, log: silentLog })

const audited = (): AuditEntry[] =>
  readFileSync(join(state, 'audit', 'changes.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditEntry)

describe('slotwire token create', () => {
  it('prints the token alone, so that a script can keep it, and says beside it what it is', async () => {
    expect(await token('create', '--name', 'line 3 PLC')).toMatch(/^swt_[0-9a-z]{8}_[0-9A-Za-z]{43}\n$/)
    expect(hinted).toMatch(
      /^Token "line 3 PLC" \([0-9a-z]{8}\): full access to all services, until it is revoked\.\nIt is shown this once\./,
    )
    expect(hinted).not.toContain(printed.trim())
    expect(service().authenticate(printed.trim())).toMatchObject({ name: 'line 3 PLC', readOnly: false })
  })

  it('makes one that is read-only, for some services, for some time', async () => {
    await token('create', '--name', 'a', '--read-only', '--services', 'io, power', '--expires', '90d')
    expect(hinted).toContain(': read-only access to io, power, until 2027-02-19T12:00:00.000Z.')
    expect(service().authenticate(printed.trim())).toMatchObject({
      readOnly: true,
      services: ['io', 'power'],
      expires: '2027-02-19T12:00:00.000Z',
    })
  })

  it('prints one line of JSON with --json, and nothing beside it', async () => {
    await token('create', '--name', 'a', '--services', 'io', '--json')
    expect(printed).toMatch(/^\{.*\}\n$/)
    const { token: text, ...rest } = JSON.parse(printed) as { token: string; id: string }
    expect(text).toBe(`swt_${rest.id}_${text.slice(-43)}`)
    const { id } = rest
    expect(rest).toEqual({ id, name: 'a', readOnly: false, services: ['io'], created: '2026-11-21T12:00:00.000Z', expires: null })
    expect(hinted).toBe('')
  })

  it('is written in the audit log: by whom, and what it may, without the token', async () => {
    await token('create', '--name', 'a', '--read-only')
    expect(audited()).toMatchObject([
      {
        who: 'local',
        action: 'token.create',
        what: { user: 'ada', name: 'a', readOnly: true, services: null },
        result: 'success',
      },
    ])
    expect(readFileSync(join(state, 'audit', 'changes.jsonl'), 'utf8')).not.toContain(printed.trim().slice(-43))
  })

  it('refuses services that there are not, by name', async () => {
    await expect(token('create', '--name', 'a', '--services', 'io,fan,IO')).rejects.toThrow(
      'there is no service "fan", "IO": one or more of bmc, io, power, separated by commas.',
    )
    expect(existsSync(state)).toBe(false)
  })

  it('refuses an end in the past, and a name that is taken or missing', async () => {
    await expect(token('create', '--name', 'a', '--expires', '2020-01-01')).rejects.toThrow('it must be in the future')
    await expect(token('create')).rejects.toThrow("'--name <text>' not specified")
    await token('create', '--name', 'a')
    await expect(token('create', '--name', 'a')).rejects.toThrow(UsageError)
    expect(audited()).toHaveLength(1)
  })
})

describe('slotwire token list', () => {
  it('shows what each token may, until when, and when it was used last; never the token or its hash', async () => {
    const first = (await token('create', '--name', 'line 3 PLC')).trim()
    await token('create', '--name', 'screen', '--read-only', '--services', 'io', '--expires', '2w')
    const running = service()
    running.authenticate(first)
    running.close()
    const rows = (await token('list')).split('\n').filter((line) => line.startsWith('│'))
    const cells = rows.map((row) => row.split('│').map((cell) => cell.trim()))
    expect(cells.map((row) => row.slice(2, 8))).toEqual([
      ['NAME', 'ACCESS', 'SERVICES', 'CREATED', 'EXPIRES', 'LAST USED'],
      ['line 3 PLC', 'full', 'all', '2026-11-21 12:00Z', 'never', '2026-11-21 12:00Z'],
      ['screen', 'read-only', 'io', '2026-11-21 12:00Z', '2026-12-05 12:00Z', 'never'],
    ])
    for (const text of [printed, await token('list', '--json')]) {
      expect(text).not.toContain(first.slice(-43))
      expect(text).not.toMatch(/[0-9a-f]{64}/)
    }
  })

  it('prints one line of JSON with --json', async () => {
    expect(await token('list', '--json')).toBe('[]\n')
    const { id } = JSON.parse(await token('create', '--name', 'a', '--json')) as { id: string }
    const created = '2026-11-21T12:00:00.000Z'
    expect(JSON.parse(await token('list', '--json'))).toEqual([
      { id, name: 'a', readOnly: false, services: null, created, expires: null, lastUsed: null },
    ])
  })

  it('says how to make one where there is none', async () => {
    expect(await token('list')).toBe('')
    expect(hinted).toContain('There are no tokens: nobody is let in from the network. Make one with slotwire token create')
  })

  it('marks those that have expired', async () => {
    await token('create', '--name', 'a', '--expires', '2w')
    const path = join(state, 'tokens.json')
    writeFileSync(path, readFileSync(path, 'utf8').replace('2026-12-05', '2026-11-05'))
    expect(await token('list')).toContain('expired 2026-11-05 12:00Z')
  })

  it('says which token of the file is broken', async () => {
    mkdirSync(state)
    writeFileSync(join(state, 'tokens.json'), '{"tokens":[\n{}]}')
    await expect(token('list')).rejects.toThrow(
      `${join(state, 'tokens.json')}: token 1: id must be 8 lower-case letters and digits`,
    )
  })
})

describe('slotwire token revoke', () => {
  it('ends a token by its name or its id, at once', async () => {
    const first = JSON.parse(await token('create', '--name', 'a', '--json')) as { token: string; id: string }
    const second = JSON.parse(await token('create', '--name', 'b', '--json')) as { token: string; id: string }
    const running = service()
    expect(running.authenticate(first.token)).toBeDefined()
    expect(await token('revoke', 'a')).toBe(`Revoked the token "a" (${first.id}).\n`)
    await nextTurn()
    expect(running.authenticate(first.token)).toBeUndefined()
    expect(JSON.parse(await token('revoke', second.id, '--json'))).toMatchObject({ revoked: { id: second.id, name: 'b' } })
    await nextTurn()
    expect(running.authenticate(second.token)).toBeUndefined()
    expect(audited().map(({ action, what }) => [action, what['name']])).toEqual([
      ['token.create', 'a'],
      ['token.create', 'b'],
      ['token.revoke', 'a'],
      ['token.revoke', 'b'],
    ])
  })

  it('refuses a token that there is not', async () => {
    await token('create', '--name', 'a')
    await expect(token('revoke', 'b')).rejects.toThrow('there is no token "b": see slotwire token list')
  })
})

describe('a restore that was interrupted', () => {
  it('keeps tokens from being changed: its completion would undo that', async () => {
    await token('create', '--name', 'a')
    const before = readFileSync(join(state, 'tokens.json'), 'utf8')
    mkdirSync(join(state, 'restore.next'))
    writeFileSync(join(state, 'restore.next', 'plan.json'), '{"files":[],"removed":[]}')
    const message = `a restore into ${state} was interrupted: start the service, which completes it, or restore again`
    await expect(token('revoke', 'a')).rejects.toThrow(new UsageError(message))
    await expect(token('create', '--name', 'b')).rejects.toThrow(new UsageError(message))
    expect(readFileSync(join(state, 'tokens.json'), 'utf8')).toBe(before)
  })
})

describe('a state folder that cannot be used', () => {
  it('is refused with the reason and a remedy', async () => {
    writeFileSync(state, '')
    for (const words of [['create', '--name', 'a'], ['list'], ['revoke', 'a']]) {
      await expect(token(...words)).rejects.toThrow(
        /: run this as the user of the service, or name its state folder with --state <dir>$/,
      )
    }
  })

  it('is made for its owner alone where it is missing', async () => {
    await token('create', '--name', 'a')
    expect(statSync(state).mode & 0o777).toBe(0o700)
  })
})
