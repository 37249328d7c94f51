import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromIsoTime, ManualClock, nextTurn, silentLog, systemRandom } from '@slotwire/core'
import { TokenStore } from '@slotwire/network'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { auditedIn, runCommand, testContext } from '../command.testkit.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { parseExpiry, tokenCommand } from './token-command.ts'

const NOW = fromIsoTime('2026-11-21T12:00:00.000Z')
const SERVICES = ['bmc', 'io', 'power']

let state: string
let written: ReturnType<typeof testContext>['written']
beforeEach(() => (state = join(temporaryFolder(), 'state')))

/** Runs `slotwire token …` in this process. Resolves with its output. */
async function token(...words: string[]): Promise<string> {
  const test = testContext(state, NOW)
  written = test.written
  await runCommand(tokenCommand(SERVICES, { ...test.context, clock: new ManualClock() }), [...words, '--state', state])
  return written.printed
}

const service = () =>
  new TokenStore({ folder: state, clock: new ManualClock(), wallTime: () => NOW, random: systemRandom, log: silentLog })

const audited = () => auditedIn(state)

describe('slotwire token create', () => {
  it('prints only the token on standard output, for scripts, and its rights on standard error', async () => {
    expect(await token('create', '--name', 'line 3 PLC')).toMatch(/^swt_[0-9a-z]{8}_[0-9A-Za-z]{43}\n$/)
    expect(written.hinted).toMatch(
      /^Token "line 3 PLC" \([0-9a-z]{8}\): full access to all services, until it is revoked\.\nIt is shown only once\./,
    )
    expect(written.hinted).not.toContain(written.printed.trim())
    expect(service().authenticate(written.printed.trim())).toMatchObject({ name: 'line 3 PLC', readOnly: false })
  })

  it('creates a read-only token for some services and some time', async () => {
    await token('create', '--name', 'a', '--read-only', '--services', 'io, power', '--expires', '90d')
    expect(written.hinted).toContain(': read-only access to io, power, until 2027-02-19T12:00:00.000Z.')
    expect(service().authenticate(written.printed.trim())).toMatchObject({
      readOnly: true,
      services: ['io', 'power'],
      expires: '2027-02-19T12:00:00.000Z',
    })
  })

  it('prints one line of JSON with --json, and nothing else', async () => {
    await token('create', '--name', 'a', '--services', 'io', '--json')
    expect(written.printed).toMatch(/^\{.*\}\n$/)
    const { token: text, ...rest } = JSON.parse(written.printed) as { token: string; id: string }
    expect(text).toBe(`swt_${rest.id}_${text.slice(-43)}`)
    const { id } = rest
    expect(rest).toEqual({ id, name: 'a', readOnly: false, services: ['io'], created: '2026-11-21T12:00:00.000Z', expires: null })
    expect(written.hinted).toBe('')
  })

  it('writes user and rights to the audit log, without the token', async () => {
    await token('create', '--name', 'a', '--read-only')
    expect(audited()).toMatchObject([
      {
        who: 'local',
        action: 'token.create',
        what: { user: 'ada', name: 'a', readOnly: true, services: null },
        result: 'success',
      },
    ])
    expect(readFileSync(join(state, 'audit', 'changes.jsonl'), 'utf8')).not.toContain(written.printed.trim().slice(-43))
  })

  it('refuses unknown services, by name', async () => {
    await expect(token('create', '--name', 'a', '--services', 'io,fan,IO')).rejects.toThrow(
      'unknown service "fan", "IO": use one or more of bmc, io, power, separated by commas.',
    )
    expect(existsSync(state)).toBe(false)
  })

  it('refuses an expiry in the past, and a name that is taken or missing', async () => {
    await expect(token('create', '--name', 'a', '--expires', '2020-01-01')).rejects.toThrow('it must be in the future')
    await expect(token('create')).rejects.toThrow("'--name <text>' not specified")
    await token('create', '--name', 'a')
    await expect(token('create', '--name', 'a')).rejects.toThrow(UsageError)
    expect(audited()).toHaveLength(1)
  })
})

describe('slotwire token list', () => {
  it('prints rights, expiry and last use of each token, but never the token or its hash', async () => {
    const first = (await token('create', '--name', 'line 3 PLC')).trim()
    await token('create', '--name', 'screen', '--read-only', '--services', 'io', '--expires', '2w')
    const running = service()
    running.authenticate(first)
    running.close()
    const rows = (await token('list')).split('\n').map((row) => row.slice('1codha5m  '.length).trim().split(/ {2,}/))
    expect(rows).toEqual([
      ['NAME', 'ACCESS', 'SERVICES', 'CREATED', 'EXPIRES', 'LAST USED'],
      ['line 3 PLC', 'full', 'all', '2026-11-21', 'never', '2026-11-21'],
      ['12:00Z', '12:00Z'],
      ['screen', 'read-only', 'io', '2026-11-21', '2026-12-05', 'never'],
      ['12:00Z', '12:00Z'],
      [''],
    ])
    for (const text of [written.printed, await token('list', '--json')]) {
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

  it('prints how to create a token if the list is empty', async () => {
    expect(await token('list')).toBe('')
    expect(written.hinted).toContain('There are no tokens: network clients have no access. Create one with slotwire token create')
  })

  it('marks expired tokens', async () => {
    await token('create', '--name', 'a', '--expires', '2w')
    const path = join(state, 'tokens.json')
    writeFileSync(path, readFileSync(path, 'utf8').replace('2026-12-05', '2026-11-05'))
    expect(await token('list')).toMatch(/expired +never\n.* 2026-11-05 12:00Z$/m)
  })

  it('reports which token in the file is broken', async () => {
    mkdirSync(state)
    writeFileSync(join(state, 'tokens.json'), '{"tokens":[\n{}]}')
    await expect(token('list')).rejects.toThrow(
      `${join(state, 'tokens.json')}: token 1: id must be 8 lower-case letters and digits`,
    )
  })
})

describe('slotwire token revoke', () => {
  it('revokes a token by name or id immediately', async () => {
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

  it('refuses an unknown token', async () => {
    await token('create', '--name', 'a')
    await expect(token('revoke', 'b')).rejects.toThrow('there is no token "b": see slotwire token list')
  })
})

it('slotwire token after an interrupted restore refuses changes: completing the restore would undo them', async () => {
  await token('create', '--name', 'a')
  const before = readFileSync(join(state, 'tokens.json'), 'utf8')
  writeFileSync(join(state, 'restore.json'), '{}')
  const message = `a restore into ${state} was interrupted: start the service, which completes it, or restore again`
  await expect(token('revoke', 'a')).rejects.toThrow(new UsageError(message))
  await expect(token('create', '--name', 'b')).rejects.toThrow(new UsageError(message))
  expect(readFileSync(join(state, 'tokens.json'), 'utf8')).toBe(before)
})

describe('slotwire token with an unusable state folder', () => {
  it('is refused with the reason and a remedy', async () => {
    writeFileSync(state, '')
    for (const words of [['create', '--name', 'a'], ['list'], ['revoke', 'a']]) {
      await expect(token(...words)).rejects.toThrow(/ is a file: name a folder with --state <dir>$/)
    }
  })

  it('creates a missing folder only for its owner', async () => {
    await token('create', '--name', 'a')
    expect(statSync(state).mode & 0o777).toBe(0o700)
  })
})

describe('--expires', () => {
  it.each([
    ['12h', '2026-11-22T00:00:00.000Z'],
    ['90d', '2027-02-19T12:00:00.000Z'],
    ['2w', '2026-12-05T12:00:00.000Z'],
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T18:00Z', '2027-01-31T18:00:00.000Z'],
    ['2027-01-31T18:00:30.5+02:00', '2027-01-31T16:00:30.500Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ])('%s means until %s', (text, end) => expect(parseExpiry(text, NOW)).toBe(end))

  it('takes a time without a zone as local', () =>
    expect(parseExpiry('2027-01-31T18:00', NOW)).toBe(new Date(2027, 0, 31, 18).toISOString()))

  it.each(['0d', '2026-11-21', '2026-11-21T12:00:00Z', '1999-12-31'])('refuses %s: not in the future', (text) =>
    expect(() => parseExpiry(text, NOW)).toThrow('it must be in the future: expected a duration (12h, 90d, 2w) or a time'),
  )

  it.each([
    '',
    '90',
    '90 d',
    '-1d',
    '1.5d',
    '1y',
    '1234567d',
    'tomorrow',
    '2027-02-30',
    '2027-13-01',
    '2027-1-1',
    '01.02.2027',
    '2027',
  ])('refuses %s: neither duration nor date', (text) =>
    expect(() => parseExpiry(text, NOW)).toThrow(/^expected a duration \(12h, 90d, 2w\) or a time/),
  )
})
