import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { OperatorError } from '../operator-error.ts'
import { SettingsError } from '../settings/setting.ts'
import { backupOf, giveIdentity, stateOf, stateWith } from './backup.testkit.ts'
import { formatBackup, parseBackup } from './backup.ts'

const textsOf = (folder: string, identity = false) => backupOf(folder, identity).files

describe('makeBackup', () => {
  it("saves settings, tokens, remembered names and the modules' saved state", () => {
    const folder = stateWith({
      ...stateOf('a'),
      lock: '{}',
      'audit/changes.jsonl': '{}',
      'tokens.json.next': '{',
      'twin/notes.txt': '',
      'settings.last-good.yaml': '',
    })
    expect(textsOf(folder)).toEqual(stateOf('a'))
    expect(backupOf(folder)).toMatchObject({ made: '2026-11-21T12:00:00.000Z', slotwire: '0.1.0' })
  })

  it('saves the identity only with --identity', async () => {
    const folder = stateWith(stateOf('a'))
    await giveIdentity(folder, '1')
    expect(textsOf(folder)).toEqual(stateOf('a'))
    expect(Object.keys(textsOf(folder, true))).toEqual(
      expect.arrayContaining([
        ...Object.keys(stateOf('a')),
        'machine-id',
        'tls/authority.key',
        'tls/authority.pem',
        'tls/server.pem',
      ]),
    )
  })

  it('saves an imported certificate even without the identity', async () => {
    const folder = stateWith({})
    await giveIdentity(folder, '1')
    symlinkSync('/nowhere', join(folder, 'elsewhere'))
    writeFileSync(join(folder, 'tls', 'imported.pem'), 'of the company')
    expect(textsOf(folder)).toEqual({ 'tls/imported.pem': 'of the company' })
  })

  it('works for a device that was never configured', () =>
    expect(parseBackup(formatBackup(backupOf(stateWith({})))).files).toEqual({}))

  it('saves the last good settings instead of broken ones', () => {
    const folder = stateWith({ ...stateOf('a'), 'settings.yaml': 'nams: []\n' })
    expect(() => backupOf(folder)).toThrow(SettingsError)
    writeFileSync(join(folder, 'settings.last-good.yaml'), 'names: []\n')
    expect(textsOf(folder)['settings.yaml']).toBe('names: []\n')
  })

  it('saves only the names from discovery.json', () => {
    const serviceFiles = ['/etc/avahi/services/slotwire.service']
    const folder = stateWith({ 'discovery.json': JSON.stringify({ preferredName: 'a', hostName: 'a-2', serviceFiles }) })
    expect(JSON.parse(textsOf(folder)['discovery.json'] ?? '')).toEqual({ preferredName: 'a', hostName: 'a-2' })
    for (const nothing of [JSON.stringify({ serviceFiles }), '{', JSON.stringify({ preferredName: 'a', hostName: '../b' })]) {
      writeFileSync(join(folder, 'discovery.json'), nothing)
      expect(textsOf(folder)).toEqual({})
    }
  })
})

describe('makeBackup of unusable state', () => {
  it('throws without a state folder, and without an identity if --identity asks for it', () => {
    const folder = stateWith(stateOf('a'))
    expect(() => backupOf(folder, true)).toThrow('there is no identity in')
    rmSync(folder, { recursive: true })
    expect(() => backupOf(folder)).toThrow(`there is no state folder ${folder}: name it with --state <dir>`)
  })

  it.each([
    ['tokens.json', '{"tokens": [{}]}', 'tokens.json is damaged, token 1: '],
    ['machine-id', 'abc', 'machine-id is damaged'],
  ])('refuses a damaged %s', async (path, content, message) => {
    const folder = stateWith(stateOf('a'))
    await giveIdentity(folder, '1')
    writeFileSync(join(folder, path), content)
    expect(() => backupOf(folder, true)).toThrow(OperatorError)
    expect(() => backupOf(folder, true)).toThrow(message)
  })

  it('refuses links', () => {
    const folder = stateWith({ precious: 'precious' })
    symlinkSync(join(folder, 'precious'), join(folder, 'tokens.json'))
    expect(() => backupOf(folder)).toThrow('tokens.json is not a file: put the file itself there')
    rmSync(join(folder, 'tokens.json'))
    symlinkSync('/etc', join(folder, 'tls'))
    expect(() => backupOf(folder)).toThrow('tls is not a folder: remove the file or link')
  })

  it('refuses a file that is not text', () => {
    const folder = stateWith({ 'twin/slot-1.json': Uint8Array.of(0x23, 0xe4, 0x0a) })
    expect(() => backupOf(folder)).toThrow('slot-1.json is not text in UTF-8: correct the file, or remove it')
  })

  it('refuses a huge file', () =>
    expect(() => backupOf(stateWith({ 'twin/slot-1.json': 'x'.repeat(1_048_577) }))).toThrow(
      'slot-1.json is too large, 1048577 bytes: at most 1048576',
    ))
})
