import { chmodSync, chownSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromIsoTime } from '@slotwire/core'
import { CertificateStore, certificatesFolder } from '@slotwire/network'
import { beforeEach, describe, expect, it } from 'vitest'
import { expectKnownCommand, FakeMachine, NOW, STRANGER, text } from './doctor.testkit.ts'
import { mayUse } from './host.ts'
import { checkCertificates, checkClock, checkSettings, checkStateFolder, checkTokens } from './state-checks.ts'

const DAY_MS = 86_400_000

let machine: FakeMachine
beforeEach(() => {
  machine = new FakeMachine()
})

describe('mayUse', () => {
  const user = (gids: readonly number[], uid = 999) => ({ name: 'slotwire', uid, gids })

  it.each([
    [0o660, user([999, 20]), true],
    [0o660, user([999]), false],
    [0o640, user([20]), false],
    [0o606, user([20]), false],
    [0o606, user([999]), true],
    [0o000, user([0], 0), true],
    [0o066, user([20], 7), false],
  ])('returns for mode %o of user 7 and group 20, and account %j: %s', (mode, account, may) => {
    expect(mayUse({ uid: 7, gid: 20, mode }, account, 6)).toBe(may)
  })
})

function inClosedFolder(): string {
  machine.write('closed/state/lock', '')
  chmodSync(machine.at('closed'), 0o700)
  return machine.at('closed/state')
}

describe('checkStateFolder', () => {
  const look = (state: string, user = STRANGER) => machine.look(checkStateFolder, { user, service: machine.service({ state }) })
  const CHOOSE = 'Choose another folder with --state <dir>'

  it('is ok for a folder of the user with free space', async () => {
    expect(await machine.look(checkStateFolder)).toMatchObject([
      { outcome: 'ok', found: text(`${machine.state} (mode 0700`) },
      { outcome: 'ok', name: 'free space' },
    ])
  })

  it('names a state folder of a service for one module type, and the command that copies its settings and tokens', async () => {
    mkdirSync(join(machine.state, 'io'))
    const copy = `slotwire backup - --state ${machine.state}/io | slotwire restore - --state ${machine.state}`
    expect((await machine.look(checkStateFolder)).slice(2)).toEqual([
      {
        outcome: 'warning',
        name: 'former state folder',
        found: `${machine.state}/io has the state of a service for one module type`,
        remedy: text(`with them, stop the service and run: ${copy}. Then remove the folder.`),
      },
    ])
  })

  it.each<readonly [string, () => string, string, string]>([
    ['cannot be created', () => join(machine.roots.run, 'a', 'b'), 'may not create it', 'install -d -o stranger -m 700 '],
    ['belongs to another user', () => machine.roots.run, 'stranger may not use ', CHOOSE],
    ['is the whole system', () => '/', 'stranger may not use / ', CHOOSE],
    ['was typed by mistake', () => '/etc', 'stranger may not use /etc ', CHOOSE],
    ['is in a closed folder', () => inClosedFolder(), 'stranger may not enter ', CHOOSE],
    ['is a file', () => machine.write('file', ''), 'file is not a folder', CHOOSE],
  ])('fails if the folder %s, and suggests no change of owner', async (_, state, found, remedy) => {
    const [finding] = await look(state())
    expect(finding).toMatchObject({ outcome: 'failure', found: text(found), remedy: text(remedy) })
    expect(finding?.remedy).not.toMatch(/chown|chmod/)
  })

  it.each(['tokens.json', 'tls/authority.key', 'audit/writes.3.jsonl', 'history/events.jsonl', 'twin/slot-3.json', 'io'])(
    'fails if another user owns %s there',
    async (path) => {
      const state = machine.at("it's here")
      mkdirSync(state)
      for (const folder of ['', 'tls', 'audit', 'history', 'twin']) {
        mkdirSync(join(state, folder), { recursive: true })
        chmodSync(join(state, folder), 0o777)
      }
      machine.write(`it's here/${path}`, '', 0o600)
      expect(await look(state)).toMatchObject([
        { outcome: 'failure', found: `stranger may not use ${state}/${path}`, remedy: text(CHOOSE) },
      ])
    },
  )

  it('suggests a quoted command for a file of another user in the user’s own folder', async () => {
    const { uid } = statSync(machine.root)
    // Root owns everything: take all rights from the file's owner instead.
    const user = { name: 'owner', uid: uid === 0 ? STRANGER.uid : uid, gids: [] }
    const state = machine.at("it's here")
    mkdirSync(state, { mode: 0o700 })
    if (uid === 0) chownSync(state, user.uid, user.uid)
    const file = machine.write("it's here/tokens.json", '', 0o000)
    const remedy = `Change its owner: chown -h owner '${machine.root}/it'\\''s here/tokens.json'.`
    expect(await look(state, user)).toMatchObject([{ outcome: 'failure', found: `owner may not use ${file}`, remedy }])
  })

  it('ignores locks of another user, and links to other folders', async () => {
    chmodSync(machine.state, 0o777)
    for (const name of ['lock', 'tokens.json.lock.4711', 'lock.4711.stale']) machine.write(`state/${name}`, '', 0o600)
    symlinkSync('/etc/shadow', machine.at('state/settings.yaml'))
    expect(await look(machine.state)).toMatchObject([{ outcome: 'warning', found: text('is open to all users') }, {}])
  })

  it('is ok if the service may create the folder', async () => {
    const state = join(machine.state, 'made', 'later')
    const { user } = await machine.subject()
    expect(await look(state, user)).toMatchObject([
      { outcome: 'ok', found: `${state} does not exist yet: the service creates it` },
    ])
  })
})

describe('checkSettings', () => {
  it.each([
    [undefined, 'ok', 'no file: the defaults apply'],
    ['vendor: Acme\n', 'ok', /settings\.yaml$/],
    ['doors:\n  port: high\n  https-port: low\n', 'failure', /^settings\.yaml:2: doors\.port: .* \(and 1 more\)$/],
  ])('reports for %j: %s', async (settings, outcome, found) => {
    if (settings !== undefined) machine.write('state/settings.yaml', settings)
    const findings = await machine.look(checkSettings)
    expect(findings).toMatchObject([{ outcome, found: text(found) }])
    for (const finding of findings) if (finding.remedy !== undefined) await expectKnownCommand(finding)
  })
})

describe('checkTokens', () => {
  it.each([
    [undefined, 'ok', '0 stored'],
    ['{"tokens":[]}', 'ok', '0 stored'],
    ['', 'failure', /tokens\.json: this is not JSON/],
  ])('reports for %j: %s', async (tokens, outcome, found) => {
    if (tokens !== undefined) machine.write('state/tokens.json', tokens)
    const [finding] = await machine.look(checkTokens)
    expect(finding).toMatchObject({ outcome, found: text(found) })
    if (finding?.remedy !== undefined) await expectKnownCommand(finding)
  })
})

describe('checkCertificates', () => {
  const look = (date = NOW) => machine.look(checkCertificates, { date })

  it('is ok before the network door creates certificates', async () => {
    expect(await look()).toMatchObject([{ outcome: 'ok', found: text('none yet') }])
  })

  it.each([
    [0, 'ok', /^valid until 20\d\d-.*, renewed automatically$/],
    [900, 'warning', /^ended on .*: renewed at the next start$/],
    [-900, 'failure', /^valid only from /],
    [20_000, 'failure', /^the certificate of the authority ended on /],
  ])('reports after %i days: %s', async (days, outcome, found) => {
    const store = new CertificateStore(certificatesFolder(machine.state))
    await store.open('press-4', NOW)
    await store.renew(NOW, { hosts: ['press-4.local'], addresses: [] })
    expect(await look(NOW + days * DAY_MS)).toMatchObject([{ outcome, found: text(found) }])
  })
})

describe('checkClock', () => {
  it.each([
    ['2026-11-21T12:00:00Z', 'ok', '2026-11-21 12:00 UTC, synchronised by systemd'],
    ['1970-01-01T00:05:00Z', 'failure', '1970-01-01 00:05 UTC cannot be right'],
    ['2106-02-07T06:28:15Z', 'failure', '2106-02-07 06:28 UTC cannot be right'],
  ])('reports at %s: %s', async (date, outcome, found) => {
    expect(await machine.look(checkClock, { date: fromIsoTime(date) })).toMatchObject([{ outcome, found }])
  })

  it('names the program of a file that has no folder', async () => {
    rmSync(machine.at('run/systemd'), { recursive: true })
    writeFileSync(machine.at('run/ntpd.pid'), '')
    expect(await machine.look(checkClock)).toMatchObject([{ outcome: 'ok', found: expect.stringMatching(/by ntpd$/) as string }])
  })

  it('warns if no program synchronises the clock', async () => {
    rmSync(machine.at('run/systemd'), { recursive: true })
    expect(await machine.look(checkClock)).toMatchObject([{ outcome: 'warning', remedy: text('timedatectl set-ntp true') }])
  })
})
