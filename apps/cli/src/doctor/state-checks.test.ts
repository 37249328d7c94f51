import { chownSync, statSync } from 'node:fs'
import { fromIsoTime } from '@slotwire/core'
import { CertificateStore, certificatesFolder } from '@slotwire/network'
import { describe, expect, it } from 'vitest'
import { type Circumstances, FakeMachine, itFinds, like, NOW, type Row, STRANGER } from './doctor.testkit.ts'
import { mayUse } from './host.ts'
import * as checks from './state-checks.ts'

const DAY_MS = 86_400_000

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
  ])('returns for mode %o of user 7 and group 20, and account %j: %s', (mode, account, may) =>
    expect(mayUse({ uid: 7, gid: 20, mode }, account, 6)).toBe(may),
  )
})

describe('checkStateFolder', () => {
  const SPACE = 'ok free space: … MiB free for ~/state'
  const CHOOSE = 'Choose another folder with --state <dir>, or run the service as the owner of this one.'
  const at = (state: string): Circumstances => ({ user: STRANGER, service: { state } })
  const FOLDER = "it's here"
  const open = Object.fromEntries(['', '/tls', '/audit', '/history', '/twin'].map((inner) => [FOLDER + inner, 0o777]))
  const files = ['tokens.json', 'tls/authority.key', 'audit/writes.3.jsonl', 'history/events.jsonl', 'twin/slot-3.json', 'io']
  const LOCKS = { 'state/lock': '', 'state/tokens.json.lock.4711': '', 'state/lock.4711.stale': '' }
  /** The user owns the state folder, but has no rights to a file in it. Root owns everything, and has all rights. */
  const owned = (machine: FakeMachine): Circumstances => {
    const { uid } = statSync(machine.root)
    const user = { name: 'owner', uid: uid === 0 ? STRANGER.uid : uid, gids: [] }
    machine.set({ [FOLDER]: 0o700, [`${FOLDER}/tokens.json`]: '' })
    machine.set({ [`${FOLDER}/tokens.json`]: 0o000 })
    if (uid === 0) chownSync(machine.at(FOLDER), user.uid, user.uid)
    return { user, service: { state: `~/${FOLDER}` } }
  }

  itFinds(checks.checkStateFolder, [
    [`ok: ~/state (mode 0700, …)\n${SPACE}`],
    ['ok: ~/state/made/later does not exist yet: the service creates it', {}, { service: { state: '~/state/made/later' } }],
    [
      'failure: ~/run/a/b does not exist, and stranger may not create it → Create it: install -d -o stranger -m 700 ~/run/a/b; or choose …',
      {},
      at('~/run/a/b'),
    ],
    [`failure: stranger may not use ~/run (…) → ${CHOOSE}`, {}, at('~/run')],
    [`failure: stranger may not use / (…) → ${CHOOSE}`, {}, at('/')],
    [`failure: stranger may not use /etc (…) → ${CHOOSE}`, {}, at('/etc')],
    [`failure: stranger may not enter ~/closed → ${CHOOSE}`, { 'closed/state/lock': '', closed: 0o700 }, at('~/closed/state')],
    [`failure: ~/file is not a folder → ${CHOOSE}`, { file: '' }, at('~/file')],
    ...files.map((file): Row => {
      return [
        `failure: stranger may not use ~/it's here/${file} → ${CHOOSE}`,
        { ...open, [`${FOLDER}/${file}`]: '' },
        at(`~/${FOLDER}`),
      ]
    }),
    [
      `failure: owner may not use ~/it's here/tokens.json → Change its owner: chown -h owner '~/it'\\''s here/tokens.json'.`,
      {},
      owned,
    ],
    // Locks of another user, and a link to another folder.
    [
      `warning: ~/state (mode 0777, …) is open to all users → Restrict it: chmod o= ~/state.\n${SPACE}`,
      { state: 0o777, ...LOCKS, 'state/settings.yaml': '-> /etc/shadow' },
      at('~/state'),
    ],
  ])
})

describe('checkSettings', () => {
  itFinds(checks.checkSettings, [
    ['ok: no file: the defaults apply'],
    ['ok: ~/state/settings.yaml', { 'state/settings.yaml': 'vendor: Acme\n' }],
    [
      'failure: settings.yaml:2: doors.port must be … (and 1 more) → Correct the file, then check it: slotwire config get --state ~/state.',
      { 'state/settings.yaml': 'doors:\n  port: high\n  https-port: low\n' },
    ],
  ])
})

describe('checkTokens', () => {
  itFinds(checks.checkTokens, [
    ['ok: 0 stored'],
    ['ok: 0 stored', { 'state/tokens.json': '{"tokens":[]}' }],
    [
      'failure: …tokens.json: this is not JSON… → Restore a backup: slotwire restore FILE --state ~/state.',
      { 'state/tokens.json': '' },
    ],
  ])
})

describe('checkCertificates', () => {
  const IMPORT = 'Get a new certificate and import it: slotwire cert import --certificate FILE --key FILE --state ~/state.'

  itFinds(checks.checkCertificates, [['ok: none yet: the service creates them when it opens the network door']])

  it.each([
    [0, 'ok: valid until 20…, renewed automatically'],
    [900, 'warning: ended on …: renewed at the next start → To renew it now: slotwire cert renew --state ~/state.'],
    [-900, 'failure: valid only from … → Set the clock: timedatectl set-ntp true.'],
    [20_000, `failure: the certificate of the authority ended on … → ${IMPORT}`],
  ])('finds %i days after its creation: %s', async (days, finding) => {
    const machine = new FakeMachine()
    const store = new CertificateStore(certificatesFolder(machine.state))
    await store.open('press-4', NOW)
    await store.renew(NOW, { hosts: ['press-4.local'], addresses: [] })
    expect(await machine.reported(checks.checkCertificates, { date: NOW + days * DAY_MS })).toEqual(like(finding))
  })
})

describe('checkClock', () => {
  const at = (date: string): Circumstances => ({ date: fromIsoTime(date) })
  const SET = 'Set it, because certificates and tokens depend on it: timedatectl set-ntp true.'
  const ALONE = { 'run/systemd': null }

  itFinds(checks.checkClock, [
    ['ok: 2026-11-21 12:00 UTC, synchronised by systemd', {}, at('2026-11-21T12:00:00Z')],
    [`failure: 1970-01-01 00:05 UTC cannot be right → ${SET}`, {}, at('1970-01-01T00:05:00Z')],
    [`failure: 2106-02-07 06:28 UTC cannot be right → ${SET}`, {}, at('2106-02-07T06:28:15Z')],
    ['ok: … UTC, synchronised by ntpd', { ...ALONE, 'run/ntpd.pid': '' }],
    ['warning: …, but no known program synchronises the clock → Synchronise it: timedatectl set-ntp true (…).', ALONE],
  ])
})
