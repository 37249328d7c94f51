import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SlotwireProcess } from '../../../../../tests/program/slotwire-process.testkit.ts'
import { describeWith } from '../../../../../tools/setup/describe-with.mjs'
import type { Diagnosis } from '../diagnosis.ts'
import { FakeInstallation, STRANGER } from '../fake-installation.testkit.ts'
import { containing } from '../matchers.testkit.ts'
import { stateFolderCheck } from './check-state-folder.ts'

describe('what a service has below its state folder', () => {
  let device: FakeInstallation
  beforeEach(() => {
    device = new FakeInstallation()
    chmodSync(device.state, 0o777)
  })
  afterEach(() => device.remove())

  const look = () => device.look(stateFolderCheck, { user: STRANGER })
  /** Of somebody else, in a folder for all. */
  const leave = (path: string, mode: number): string => {
    const file = device.write(`state/${path}`, '', mode)
    chmodSync(join(file, '..'), 0o777)
    return file
  }

  it.each(['tls/authority.key', 'tls/server.pem', 'audit/changes.jsonl', 'audit/writes.3.jsonl', 'twin/slot-3.json'])(
    'is another user’s, which ends the service or what it does: %s',
    async (path) => {
      leave(path.replace(/[^/]+$/, 'a'), 0o666)
      const file = leave(path, 0o600)
      expect(await look()).toMatchObject([
        {
          outcome: 'failure',
          found: containing(`stranger may not use ${file} (mode 0600`),
          remedy: `Give it to the user: chown -R stranger ${device.state} && chmod -R u+rwX ${device.state}.`,
        },
      ])
    },
  )

  it.each(['tls', 'audit', 'twin', 'io'])('is a folder that is another user’s: %s', async (name) => {
    mkdirSync(join(device.state, name), { mode: 0o700 })
    expect(await look()).toMatchObject([{ outcome: 'failure', found: containing(join(device.state, name)) }])
  })

  it.each(['lock', 'audit/changes.lock', 'tokens.json.lock.4711', 'settings.yaml.lock', 'lock.4711.stale'])(
    'may be a lock that another user has left: %s is taken over',
    async (path) => {
      leave(path, 0o600)
      expect(await look()).toMatchObject([{ outcome: 'warning', found: containing('open to everybody') }, {}])
    },
  )

  it('is the user’s: nothing is said', async () => {
    for (const path of ['tls/server.pem', 'audit/changes.jsonl']) leave(path, 0o666)
    // What is in the folders of other services is looked at with these.
    leave('io/tokens.json', 0o600)
    expect(await look()).toMatchObject([{ outcome: 'warning' }, {}])
  })

  it('is given away with the locks in it', async () => {
    leave('settings.yaml', 0o600)
    leave('settings.yaml.lock', 0o600)
    expect(await look()).toMatchObject([{ remedy: containing('chown -R stranger') }])
  })
})

/** Seen by the process alone: a file system of its own for the state, which ends with the process. */
const MOUNT = 'mount -t tmpfs -o "$2" slotwire "$1" && shift 2 && exec "$@"'

describeWith('namespaces', 'the disk of the state folder', (unshare) => {
  let state: string
  beforeEach(() => {
    state = mkdtempSync(join(tmpdir(), 'slotwire-disk-'))
  })
  afterEach(() => rmSync(state, { recursive: true }))

  async function look(mount: string): Promise<Diagnosis['checks']> {
    const startedBy = [unshare, '--mount', 'sh', '-c', MOUNT, 'sh', state, `mode=700,${mount}`]
    const words = ['doctor', '--hardware', 'twin', '--state', state, '--port', '0', '--json']
    const { output } = await new SlotwireProcess(words, { startedBy }).ended
    return (JSON.parse(output) as Diagnosis).checks.filter(({ name }) => ['state folder', 'free space'].includes(name))
  }

  it.each([
    [64, 'ok'],
    [63, 'warning'],
    [8, 'warning'],
    [7, 'failure'],
  ])('with %i MiB: %s', { timeout: 60_000 }, async (mib, outcome) => {
    expect(await look(`size=${mib}m`)).toMatchObject([
      { outcome: 'ok', name: 'state folder' },
      { outcome, name: 'free space', found: `${mib} MiB free for ${state}` },
    ])
  })

  it('cannot be written', { timeout: 60_000 }, async () => {
    expect(await look('ro')).toMatchObject([{ outcome: 'failure', found: `${state} is on a file system that is read-only` }])
  })
})
