import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { CertificateStore, certificatesFolder } from '@slotwire/gateway'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockState } from '../state/state-lock.ts'
import { certificatesCheck } from './checks/check-certificates.ts'
import { settingsCheck } from './checks/check-settings.ts'
import { stateFolderCheck } from './checks/check-state-folder.ts'
import { stateLockCheck } from './checks/check-state-lock.ts'
import { FakeInstallation, NOW, STRANGER } from './fake-installation.testkit.ts'
import { containing, matching } from './matchers.testkit.ts'

const DAY_MS = 86_400_000

let device: FakeInstallation
beforeEach(() => {
  device = new FakeInstallation()
})
afterEach(() => device.remove())

describe('the state folder', () => {
  it('is the user’s, and has room', async () => {
    const [folder, space] = await device.look(stateFolderCheck)
    expect(folder).toMatchObject({ outcome: 'ok', found: containing(`${device.state} (mode 0700`) })
    expect(space).toMatchObject({ outcome: 'ok', name: 'free space' })
  })

  it('is made by the service where that may do so', async () => {
    const state = join(device.state, 'made', 'later')
    expect(await device.look(stateFolderCheck, { state })).toMatchObject([
      { outcome: 'ok', found: `${state} does not exist yet: the service makes it` },
    ])
  })

  it('cannot be made', async () => {
    const state = join(device.run, 'made', 'later')
    expect(await device.look(stateFolderCheck, { state, user: STRANGER })).toMatchObject([
      { outcome: 'failure', remedy: containing(`install -d -o stranger -m 700 ${state}`) },
    ])
  })

  it('is another user’s', async () => {
    chmodSync(device.state, 0o755)
    expect(await device.look(stateFolderCheck, { user: STRANGER })).toMatchObject([
      { outcome: 'failure', remedy: containing(`chown -R stranger ${device.state}`) },
    ])
  })

  it.each(['/', '/etc', '/run'])('is %s, which somebody typed: nobody is told to give all of it away', async (state) => {
    const [finding] = await device.look(stateFolderCheck, { state, user: STRANGER })
    expect(finding).toMatchObject({ outcome: 'failure', remedy: containing('Choose another folder') })
    expect(finding?.remedy).not.toMatch(/chown|chmod/)
  })

  it('is another user’s, and holds what a service has left there', async () => {
    chmodSync(device.state, 0o755)
    for (const name of ['settings.yaml', 'tokens.json.next', 'lock', 'lock.4711', 'machine-id']) device.write(`state/${name}`, '')
    expect(await device.look(stateFolderCheck, { user: STRANGER })).toMatchObject([
      { outcome: 'failure', remedy: containing(`chown -R stranger ${device.state}`) },
    ])
  })

  it('is in a folder that keeps the user out', async () => {
    const state = join(device.state, 'inner')
    mkdirSync(state)
    expect(await device.look(stateFolderCheck, { state, user: STRANGER })).toMatchObject([
      { outcome: 'failure', found: `stranger may not enter ${device.state}` },
    ])
  })

  it('holds a file that is another user’s', async () => {
    chmodSync(device.state, 0o777)
    const file = device.write('state/tokens.json', '', 0o600)
    expect(await device.look(stateFolderCheck, { user: STRANGER })).toMatchObject([
      { outcome: 'failure', found: containing(file) },
    ])
  })

  it('is open to everybody', async () => {
    chmodSync(device.state, 0o705)
    const [folder] = await device.look(stateFolderCheck)
    expect(folder).toMatchObject({ outcome: 'warning', remedy: `Keep others out: chmod o= ${device.state}.` })
  })

  it('is no folder', async () => {
    const state = device.write('file', '')
    expect(await device.look(stateFolderCheck, { state })).toMatchObject([{ outcome: 'failure', found: `${state} is no folder` }])
  })

  it('has a name that a shell would take apart: the remedy quotes it', async () => {
    const state = join(device.run, "it's here")
    mkdirSync(state)
    const [finding] = await device.look(stateFolderCheck, { state, user: STRANGER })
    expect(finding?.remedy).toContain(`chown -R stranger '${device.run}/it'\\''s here'`)
  })
})

describe('the lock of the state folder', () => {
  it('is free', async () => {
    expect(await device.look(stateLockCheck)).toMatchObject([{ outcome: 'ok', found: containing('no Slotwire') }])
  })

  it('is that of a service that runs', async () => {
    const lock = lockState(device.state)
    expect(await device.look(stateLockCheck)).toMatchObject([{ outcome: 'ok', found: containing(`process ${process.pid}`) }])
    lock.release()
  })

  it.each([
    [0, 'Run this as root; '],
    [54_321, 'Run this as root or as owner; '],
  ])('cannot be read, for user %i: who may is named once', async (uid, begin) => {
    // Reading what is not mapped fails for everybody.
    symlinkSync('/proc/self/mem', join(device.state, 'lock'))
    const [finding] = await device.look(stateLockCheck, { user: { name: uid === 0 ? 'root' : 'owner', uid, gids: [uid] } })
    expect(finding).toMatchObject({ outcome: 'failure', remedy: `${begin}if no service runs: rm ${device.state}/lock.` })
  })

  it('is a folder, as in one that was typed for another: nobody is told to remove it', async () => {
    mkdirSync(join(device.state, 'lock'))
    expect(await device.look(stateLockCheck)).toMatchObject([
      { outcome: 'failure', remedy: 'Choose another folder: slotwire serve --state <dir>.' },
    ])
  })
})

describe('the settings', () => {
  it('may be none', async () => {
    expect(await device.look(settingsCheck)).toMatchObject([{ outcome: 'ok', found: 'none: all as by default' }])
  })

  it('are right', async () => {
    const file = device.write('state/settings.yaml', 'vendor: Acme\n')
    expect(await device.look(settingsCheck)).toMatchObject([{ outcome: 'ok', found: file }])
  })

  it('are wrong: where, and how often', async () => {
    device.write('state/settings.yaml', 'doors:\n  loopback-port: high\n  https-port: low\n')
    const [finding] = await device.look(settingsCheck)
    expect(finding).toMatchObject({ outcome: 'failure', remedy: containing('slotwire config get --state') })
    expect(finding?.found).toMatch(/^settings\.yaml:2: doors\.loopback-port: .* \(and 1 more\)$/)
  })
})

describe('the certificates', () => {
  const store = () => new CertificateStore(certificatesFolder(device.state))

  it('are made with the network door', async () => {
    expect(await device.look(certificatesCheck)).toMatchObject([{ outcome: 'ok', found: containing('none yet') }])
  })

  it('are valid, are renewed by themselves, and end', async () => {
    await store().open('press-4', NOW)
    expect(await device.look(certificatesCheck)).toMatchObject([{ outcome: 'ok' }])
    await store().renew(NOW, { hosts: ['press-4.local'], addresses: [] })
    expect(await device.look(certificatesCheck)).toMatchObject([
      { outcome: 'ok', found: matching(/^valid until 20\d\d-\d\d-\d\d, renewed by itself$/) },
    ])
    expect(await device.look(certificatesCheck, { date: NOW + 900 * DAY_MS })).toMatchObject([
      { outcome: 'warning', remedy: `Or at once: slotwire cert renew --state ${device.state}.` },
    ])
    expect(await device.look(certificatesCheck, { date: NOW - 900 * DAY_MS })).toMatchObject([
      { outcome: 'failure', found: matching(/^valid from .* only$/) },
    ])
    expect(await device.look(certificatesCheck, { date: NOW + 20_000 * DAY_MS })).toMatchObject([
      { outcome: 'failure', found: containing('authority') },
    ])
  })

  it('are broken', async () => {
    device.write('state/tls/authority.key', 'nonsense')
    expect(await device.look(certificatesCheck)).toMatchObject([
      { outcome: 'failure', remedy: containing(`slotwire cert show --state ${device.state}`) },
    ])
  })
})
