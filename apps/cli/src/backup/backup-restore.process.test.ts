import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { fromIsoTime } from '@slotwire/core'
import { formatBackup } from '@slotwire/network/backup'
import { identityOf } from '@slotwire/storage'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { auditedIn, runCommand, testContext } from '../command.testkit.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { backupCommand, restoreCommand } from './backup-command.ts'

const MADE = '2026-11-21T12:00:00.000Z'
const ID = `${'4'.repeat(32)}\n`

let folder: string
let state: string
let file: string
let written: { readonly printed: string; readonly hinted: string }
beforeEach(() => {
  folder = temporaryFolder()
  state = join(folder, 'state')
  file = join(folder, 'press-4.json')
  write('settings.yaml', 'vendor: then\n')
  write('twin/slot-5.json', '{}\n')
})

function write(path: string, text: string): void {
  fs.mkdirSync(join(state, path, '..'), { recursive: true })
  fs.writeFileSync(join(state, path), text)
}
const read = (path: string) => fs.readFileSync(join(state, path), 'utf8')

/** Runs `slotwire backup` or `restore` in this process. Resolves with its output. */
async function run(name: 'backup' | 'restore', words: readonly string[], text = ''): Promise<string> {
  const test = testContext(folder, fromIsoTime(MADE))
  written = test.written
  const command = name === 'backup' ? backupCommand : restoreCommand
  await runCommand(command({ ...test.context, input: async () => text }), [...words, '--state', state])
  return written.printed
}

const backup = (...words: readonly string[]) => run('backup', words)
const restore = (...words: readonly string[]) => run('restore', words)

const audited = () => auditedIn(state)

describe('slotwire backup', () => {
  it('writes one file, readable only by its owner, and prints what it contains', async () => {
    expect(await backup(file)).toBe('')
    expect(written.hinted).toBe('Saved 2 files: settings.yaml, twin/slot-5.json.\n')
    expect(fs.statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toMatchObject({
      format: 'slotwire-backup',
      version: 1,
      made: MADE,
      slotwire: '0.1.0',
    })
  })

  it('never overwrites a file without --force', async () => {
    fs.writeFileSync(file, 'precious')
    await expect(backup(file)).rejects.toThrow(
      new UsageError(`${file} already exists: choose another file, or overwrite it with --force`),
    )
    expect(fs.readFileSync(file, 'utf8')).toBe('precious')
    await backup(file, '--force')
    expect(fs.readFileSync(file, 'utf8')).toContain('slotwire-backup')
  })

  it('never replaces a pipe or a link to one, even with --force', async () => {
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    fs.symlinkSync(pipe, file)
    for (const target of [pipe, file])
      await expect(backup(target, '--force')).rejects.toThrow(`${target} is not a file: choose another, or - for standard output`)
    expect([fs.statSync(pipe).isFIFO(), fs.lstatSync(file).isSymbolicLink()]).toEqual([true, true])
  })

  it('writes to standard output', async () => {
    expect(JSON.parse(await backup('-'))).toMatchObject({ format: 'slotwire-backup' })
    expect(written.hinted).toContain('Saved 2 files')
  })

  it('warns about the keys in the backup', async () => {
    write('machine-id', ID)
    write('tls/authority.key', 'key')
    await backup(file, '--identity')
    expect(written.hinted).toBe(
      'Saved 4 files: settings.yaml, twin/slot-5.json, machine-id, tls/authority.key.\nThe backup holds the key of the device’s authority: its holder can impersonate this device. Protect it like the key itself.\n',
    )
    write('tls/imported.pem', 'key')
    await backup('-')
    expect(written.hinted).toContain('\nThe backup holds the key of the imported certificate. Protect it like the key itself.\n')
  })

  it('writes the audit log', async () => {
    await backup(file)
    const what = { user: 'ada', file, identity: false, files: ['settings.yaml', 'twin/slot-5.json'] }
    expect(audited()).toMatchObject([{ who: 'local', action: 'state.backup', what, result: 'success' }])
  })

  it.each([
    [
      'into a missing folder',
      () => [join(folder, 'none', 'a.json')],
      () => `the folder ${join(folder, 'none')} does not exist: create it first`,
    ],
    [
      'into the state folder',
      () => [join(state, 'a.json')],
      () => `${join(state, 'a.json')} is in the state folder: save the backup elsewhere`,
    ],
    [
      'with an identity before there is one',
      () => [file, '--identity'],
      () => `there is no identity in ${state} yet: the service makes one at its first start`,
    ],
  ])('refuses a backup %s', async (_, words, message) => {
    await expect(backup(...words())).rejects.toThrow(new UsageError(message()))
    expect(fs.existsSync(file)).toBe(false)
  })
})

describe('slotwire restore', () => {
  it.each([
    [0, { watchdogTimeoutMs: 'x' }],
    [1, { ovp3v3: -1 }],
  ])('refuses a backup with a memory that the module in slot %i cannot have saved', async (slot, document) => {
    const path = `twin/slot-${slot}.json`
    const text = formatBackup({ made: MADE, slotwire: '0.1.0', files: { [path]: JSON.stringify(document) } })
    await expect(run('restore', ['-'], text)).rejects.toThrow(`${path} is damaged, it holds nothing that the virtual module`)
    expect(fs.existsSync(join(state, path))).toBe(false)
  })

  it('restores the saved state, and prints what it did', async () => {
    await backup(file)
    write('settings.yaml', 'vendor: now\n')
    write('twin/slot-3.json', '{}\n')
    expect(await restore(file)).toBe(
      `Restored the backup of ${MADE}, 2 files: settings.yaml, twin/slot-5.json.\nRemoved files that are not in the backup: twin/slot-3.json.\n`,
    )
    expect([read('settings.yaml'), fs.existsSync(join(state, 'twin/slot-3.json'))]).toEqual(['vendor: then\n', false])
    expect(fs.existsSync(join(state, 'lock'))).toBe(false)
  })

  it('reads standard input, and creates the state folder', async () => {
    const text = await backup('-')
    state = join(folder, 'new')
    await run('restore', ['-'], text)
    expect(read('settings.yaml')).toBe('vendor: then\n')
  })

  it('keeps the identity without --identity', async () => {
    write('machine-id', ID)
    await backup(file, '--identity')
    write('machine-id', ID.replaceAll('4', '5'))
    await restore(file)
    expect([read('machine-id'), written.hinted]).toEqual([
      ID.replaceAll('4', '5'),
      'The backup also holds an identity, which was not restored: use --identity to restore it.\n',
    ])
    await restore(file, '--identity')
    expect(read('machine-id')).toBe(ID)
    expect(written.hinted).toBe('This device now has the identity in the backup: no other device in this network may use it.\n')
  })

  it('writes the audit log', async () => {
    await backup(file)
    await restore(file)
    const what = { user: 'ada', file, made: MADE, identity: false, files: ['settings.yaml', 'twin/slot-5.json'], removed: [] }
    expect(audited()[1]).toMatchObject({ who: 'local', action: 'state.restore', what, result: 'success' })
  })

  it('names revoked tokens that become valid again', async () => {
    const hash = (digit: string) => digit.repeat(64)
    const token = (id: string, name: string, sha256: string) => ({ id, name, sha256, readOnly: false, created: MADE })
    const [kept, lost] = [token('aaaaaaaa', 'line 3', hash('a')), token('bbbbbbbb', 'lost phone', hash('b'))]
    write('tokens.json', JSON.stringify({ tokens: [kept, lost] }))
    await backup(file)
    write('tokens.json', JSON.stringify({ tokens: [kept] }))
    await restore(file)
    expect(written.hinted).toBe(
      'These tokens are valid again: "lost phone". Revoke those that you do not want: slotwire token revoke <name>\n',
    )
    expect(audited()[1]).toMatchObject({ what: { revived: ['lost phone'] } })
    await restore(file)
    expect(written.hinted).toBe('')
  })

  it.each(['tokens.json', 'settings.yaml'])('waits for a command that is changing %s', async (name) => {
    await backup(file)
    write('settings.yaml', 'vendor: now\n')
    write(`${name}.lock`, JSON.stringify(identityOf(process.pid)))
    const restored = restore(file)
    await expect.poll(() => fs.existsSync(join(state, 'lock'))).toBe(true)
    expect(read('settings.yaml')).toBe('vendor: now\n')
    fs.rmSync(join(state, `${name}.lock`))
    await restored
    expect(read('settings.yaml')).toBe('vendor: then\n')
    expect(fs.existsSync(join(state, `${name}.lock`))).toBe(false)
  })

  it('refuses while a service runs', async () => {
    await backup(file)
    write('settings.yaml', 'vendor: now\n')
    write('lock', JSON.stringify(identityOf(process.pid)))
    await expect(restore(file)).rejects.toThrow(`is in use by process ${process.pid}: stop it`)
    expect(read('settings.yaml')).toBe('vendor: now\n')
  })

  it('refuses a file that is not a backup, a damaged one, and --identity without an identity in the backup', async () => {
    const none = join(folder, 'none')
    await expect(restore(none)).rejects.toThrow(`the backup cannot be read from ${none} (ENOENT): name a file that you may read`)
    await expect(run('restore', ['-'], 'hello')).rejects.toThrow(UsageError)
    await backup(file)
    await expect(restore(file, '--identity')).rejects.toThrow('the backup holds no identity')
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('then', 'them'))
    await expect(restore(file)).rejects.toThrow(
      new UsageError('the backup is damaged: its checksum does not match. Use another copy of it'),
    )
  })
})
