import * as fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { OperatorError } from '../operator-error.ts'
import { SettingsError } from '../settings/setting.ts'
import { backupOf, filesIn, giveIdentity, isTwinMemory, stateOf, stateWith } from './backup.testkit.ts'
import { type Backup, formatBackup, parseBackup, restoreBackup } from './backup.ts'

function restore(backup: Backup, folder: string, identity = false) {
  return restoreBackup(parseBackup(formatBackup(backup)), { folder, identity, isTwinMemory })
}

const withFile = (backup: Backup, path: string, text: string): Backup => ({
  ...backup,
  files: { ...backup.files, [path]: text },
})

describe('restoreBackup', () => {
  it('restores the saved state, removes later files and keeps files that no backup holds', () => {
    const backup = backupOf(stateWith(stateOf('then')))
    const later = { 'twin/slot-7.json': '{}', 'settings.last-good.yaml': 'vendor: now\n' }
    const others = { 'audit/changes.jsonl': '{}\n', lock: '{}', 'notes.txt': 'mine', 'twin/notes.txt': 'mine' }
    const folder = stateWith({ ...stateOf('now'), ...later, ...others })
    expect(restore(backup, folder)).toEqual({
      files: expect.arrayContaining(Object.keys(stateOf('then'))) as unknown,
      removed: ['twin/slot-7.json', 'settings.last-good.yaml'],
      revived: [],
    })
    expect(filesIn(folder)).toEqual({ ...stateOf('then'), ...others })
  })

  it('creates a missing folder for its owner only', () => {
    const backup = backupOf(stateWith(stateOf('then')))
    const folder = join(stateWith({}), 'new', 'state')
    restore(backup, folder)
    expect(filesIn(folder)).toEqual(stateOf('then'))
    for (const made of [folder, join(folder, 'twin')]) expect(fs.statSync(made).mode & 0o777).toBe(0o700)
  })

  it('lets all users read the settings, and only their owner the tokens', () => {
    const folder = stateWith({})
    restore(backupOf(stateWith(stateOf('then'))), folder)
    expect(['settings.yaml', 'tokens.json'].map((path) => fs.statSync(join(folder, path)).mode & 0o777)).toEqual([0o644, 0o600])
  })

  it('keeps the identity by default, even if the backup holds one', async () => {
    const [then, now] = [stateWith(stateOf('then')), stateWith(stateOf('now'))]
    await giveIdentity(then, '1')
    await giveIdentity(now, '2')
    const { 'machine-id': id, 'tls/authority.key': key } = filesIn(now)
    restore(backupOf(then, true), now)
    expect(filesIn(now)).toMatchObject({ ...stateOf('then'), 'machine-id': id, 'tls/authority.key': key })
  })

  it("takes over the backup's identity if asked to", async () => {
    const [then, now] = [stateWith(stateOf('then')), stateWith(stateOf('now'))]
    await giveIdentity(then, '1')
    await giveIdentity(now, '2')
    restore(backupOf(then, true), now, true)
    expect(filesIn(now)).toEqual(filesIn(then))
  })

  it("takes host names from the backup, and avahi's files from this machine", () => {
    const present = { preferredName: 'b', hostName: 'b', serviceFiles: ['/etc/avahi/services/slotwire-io.service'] }
    const folder = stateWith({ 'discovery.json': JSON.stringify(present) })
    const discovery = () => JSON.parse(filesIn(folder)['discovery.json'] ?? '') as unknown
    restore(backupOf(stateWith(stateOf('a'))), folder)
    expect(discovery()).toEqual({ preferredName: 'a', hostName: 'a-2', serviceFiles: present.serviceFiles })
    restore(backupOf(stateWith({})), folder)
    expect(discovery()).toEqual({ serviceFiles: present.serviceFiles })
    const evil = withFile(
      backupOf(stateWith({})),
      'discovery.json',
      JSON.stringify({ preferredName: 'a', hostName: 'a', serviceFiles: ['/etc/passwd'] }),
    )
    restore(evil, folder)
    expect(discovery()).toEqual({ preferredName: 'a', hostName: 'a', serviceFiles: present.serviceFiles })
  })

  it('gives the files to the owner of the folder when root restores', () => {
    const [user, group] = process.getuid?.() === 0 ? [65_534, 65_534] : [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
    const backup = backupOf(stateWith(stateOf('then')))
    const folder = stateWith({})
    fs.chownSync(folder, user, group)
    restore(backup, folder)
    for (const path of ['twin', 'twin/slot-0.json', 'settings.yaml']) {
      expect([fs.statSync(join(folder, path)).uid, fs.statSync(join(folder, path)).gid]).toEqual([user, group])
    }
  })
})

describe('restoreBackup of an unusable backup', () => {
  const now = stateOf('now')

  it.each([
    ['broken settings', 'settings.yaml', 'nams: []\n', SettingsError, 'settings.yaml:1: nams is unknown: did you mean names?'],
    ['no JSON object in a memory', 'twin/slot-0.json', '[]', OperatorError, 'twin/slot-0.json is damaged, it holds nothing'],
    ['values that no module saves', 'twin/slot-5.json', '{"bad":1}', OperatorError, 'virtual module in slot 5 saves'],
    ['damaged tokens', 'tokens.json', '{"tokens": 7}', OperatorError, 'tokens.json is damaged'],
    ['damaged uses of tokens', 'token-use.json', '{"abcd1234":"soon"}', OperatorError, 'token-use.json is damaged'],
    ['uses of tokens in a list', 'token-use.json', '[]', OperatorError, 'token-use.json is damaged'],
    [
      'an imported certificate without a key',
      'tls/imported.pem',
      'nothing',
      OperatorError,
      'the certificates in the backup cannot be used',
    ],
  ])('changes nothing for %s', (_, path, content, kind, message) => {
    const folder = stateWith(now)
    const backup = withFile(backupOf(stateWith(stateOf('then'))), path, content)
    expect(() => restore(backup, folder)).toThrow(kind)
    expect(() => restore(backup, folder)).toThrow(message)
    expect(filesIn(folder)).toEqual(now)
  })

  it('removes the number of the last start with the identity: numbers of the restored device are above its old ones', async () => {
    const [one, other] = [stateWith({ ...now, boot: '7\n' }), stateWith(stateOf('then'))]
    await giveIdentity(other, '2')
    restore(backupOf(other), one)
    expect(filesIn(one)).toHaveProperty('boot')
    restore(backupOf(other, true), one, true)
    expect(filesIn(one)).not.toHaveProperty('boot')
  })

  it('refuses an identity that is missing or inconsistent', async () => {
    const [one, other] = [stateWith(now), stateWith(stateOf('then'))]
    await giveIdentity(one, '1')
    await giveIdentity(other, '2')
    const before = filesIn(one)
    expect(() => restore(backupOf(other), one, true)).toThrow('the backup holds no identity')
    const mixed = withFile(backupOf(other, true), 'tls/authority.key', filesIn(one)['tls/authority.key'] ?? '')
    expect(() => restore(mixed, one, true)).toThrow(
      /cannot be used \(the certificate authority is broken: tls\/authority\.pem is not /,
    )
    expect(filesIn(one)).toEqual(before)
  })

  it('refuses a folder or a link in place of a file', () => {
    const backup = backupOf(stateWith(stateOf('then')))
    const folder = stateWith({})
    fs.mkdirSync(join(folder, 'tokens.json'))
    expect(() => restore(backup, folder)).toThrow('tokens.json is a folder: remove it')
    fs.rmSync(join(folder, 'tokens.json'), { recursive: true })
    const elsewhere = stateWith({})
    fs.symlinkSync(elsewhere, join(folder, 'twin'))
    expect(() => restore(backup, folder)).toThrow('twin is not a folder: remove the file or link')
    expect([fs.readdirSync(elsewhere), fs.existsSync(join(folder, 'settings.yaml'))]).toEqual([[], false])
  })

  it('replaces a link and never writes through it', () => {
    const precious = join(stateWith({ precious: 'precious' }), 'precious')
    const folder = stateWith({})
    fs.symlinkSync(precious, join(folder, 'settings.last-good.yaml'))
    fs.symlinkSync(precious, join(folder, 'restore.json'))
    fs.writeFileSync(join(folder, 'tokens.json'), '{}')
    restore(backupOf(stateWith(stateOf('then'))), folder)
    expect(fs.readFileSync(precious, 'utf8')).toBe('precious')
    expect(filesIn(folder)).toEqual(stateOf('then'))
  })
})
