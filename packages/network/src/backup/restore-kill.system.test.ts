import { spawnSync } from 'node:child_process'
import { cpSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bundleSources } from '../../../../tools/build/bundle-sources.mjs'
import { backupOf, filesIn, isTwinMemory, stateWith } from './backup.testkit.ts'
import { completeRestore, restoreBackup } from './backup.ts'
import { formatBackup } from './backup-document.ts'

const { document, restore } = await bundleSources({
  document: 'packages/network/src/backup/backup-document.ts',
  restore: 'packages/network/src/backup/backup.ts',
})
/** A restore of these files takes fewer steps. */
const MOST_STEPS = 200

/** Restores in a separate process and kills it just before the given change of the file system. Returns whether it was killed. */
function restoreKilledAt(step: number, folder: string, backup: string): boolean {
  const program = `
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    let step = 0
    for (const name of ['mkdirSync', 'openSync', 'writeFileSync', 'renameSync', 'rmSync']) {
      const real = fs[name]
      fs[name] = (...args) => {
        const changes = name !== 'openSync' || typeof args[1] === 'string' && args[1].startsWith('w')
        if (changes && ++step === ${step}) process.kill(process.pid, 'SIGKILL')
        return real(...args)
      }
    }
    syncBuiltinESMExports()
    const { parseBackup } = await import(${JSON.stringify(document)})
    const { restoreBackup } = await import(${JSON.stringify(restore)})
    const backup = parseBackup(fs.readFileSync(${JSON.stringify(backup)}, 'utf8'))
    restoreBackup(backup, { folder: ${JSON.stringify(folder)}, identity: false, isTwinMemory: () => true })`
  const { signal, status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(status).toBe(signal === 'SIGKILL' ? null : 0)
  return signal === 'SIGKILL'
}

const THEN = { 'settings.yaml': 'vendor: then\n', 'twin/slot-0.json': '{"then":true}\n' }
const NOW = { 'settings.yaml': 'vendor: now\n', 'twin/slot-1.json': '{"now":true}\n', 'audit/changes.jsonl': '{}\n' }
const RESTORED = { ...THEN, 'audit/changes.jsonl': '{}\n' }

describe('a restore that is killed', { timeout: 120_000 }, () => {
  it('leaves the old state or one that the next start or restore completes', () => {
    const backup = join(stateWith({ backup: formatBackup(backupOf(stateWith(THEN))) }), 'backup')
    const outcomes: string[] = []
    for (let step = 1; step < MOST_STEPS; step++) {
      const folder = stateWith(NOW)
      const killed = restoreKilledAt(step, folder, backup)
      const again = `${folder} again`
      cpSync(folder, again, { recursive: true })
      completeRestore(folder)
      const state = filesIn(folder)
      outcomes.push(state['settings.yaml'] ?? '')
      expect([NOW, RESTORED]).toContainEqual(state)
      restoreBackup(backupOf(stateWith(THEN)), { folder: again, identity: false, isTwinMemory })
      expect(filesIn(again)).toEqual(RESTORED)
      for (const done of [folder, again]) rmSync(done, { recursive: true })
      if (!killed) break
    }
    // The old state up to one moment, the new one from then on.
    const first = outcomes.indexOf('vendor: then\n')
    expect(first).toBeGreaterThan(5)
    expect(outcomes.length - first).toBeGreaterThan(5)
    expect(new Set(outcomes.slice(first))).toEqual(new Set(['vendor: then\n']))
  })
})

describe('completeRestore after an interrupted restore', () => {
  const decided = (files: Readonly<Record<string, string>>) => {
    const staged = Object.entries(files).map(([path, text]) => [`restore.now/${path}`, text])
    return stateWith({ ...NOW, ...(Object.fromEntries(staged) as Record<string, string>) })
  }
  const RESTORE = { 'settings.yaml': 'vendor: then\n', 'twin_slot-1.json.removed': '' }

  it('completes the restore and returns what it changed', () => {
    const folder = decided({ ...RESTORE, 'boot.removed': '' })
    writeFileSync(join(folder, 'boot'), '7')
    expect(completeRestore(folder)).toEqual({ files: ['settings.yaml'], removed: ['twin/slot-1.json', 'boot'] })
    expect(filesIn(folder)).toEqual({ 'settings.yaml': 'vendor: then\n', 'audit/changes.jsonl': '{}\n' })
    expect(completeRestore(folder)).toBeUndefined()
  })

  it('discards a restore that was not decided', () => {
    const folder = stateWith({ ...NOW, 'restore.next/settings.yaml': 'vendor: then\n' })
    expect(completeRestore(folder)).toBeUndefined()
    expect(filesIn(folder)).toEqual(NOW)
  })

  it('changes no file that is not a state file', () => {
    const others = { 'audit_changes.jsonl': 'evil', 'audit_changes.jsonl.removed': '', 'lock.removed': '', 'plan.json': '{' }
    const folder = decided(others)
    expect(completeRestore(folder)).toEqual({ files: [], removed: [] })
    expect(filesIn(folder)).toEqual(NOW)
  })

  it.each(['restore.now', 'twin'])(
    'takes nothing from and puts nothing into another folder through a link in place of %s',
    (name) => {
      const elsewhere = stateWith({ 'machine-id': 'precious', 'slot-1.json': 'precious' })
      const folder = decided({ ...RESTORE, 'twin_slot-0.json': '{}' })
      rmSync(join(folder, name), { recursive: true })
      symlinkSync(elsewhere, join(folder, name))
      expect(() => completeRestore(folder)).toThrow(`${join(folder, name)} is not a folder: remove the file or link`)
      expect(filesIn(elsewhere)).toEqual({ 'machine-id': 'precious', 'slot-1.json': 'precious' })
    },
  )

  it('must run before the next backup', () => {
    const folder = decided(RESTORE)
    expect(() => backupOf(folder)).toThrow(
      `a restore into ${folder} was interrupted: start the service, which completes it, or restore again`,
    )
  })
})
