import { spawnSync } from 'node:child_process'
import { cpSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bundleSources } from '../../../../tools/build/bundle-sources.mjs'
import { backupOf, filesIn, isTwinMemory, MADE, stateWith } from './backup.testkit.ts'
import { completeRestore, formatBackup, restoreBackup, type StateTexts } from './backup.ts'

const { bundle } = await bundleSources({ bundle: 'packages/network/src/backup/backup.ts' })
/** A restore of these files takes fewer steps. */
const MAX_STEPS = 200

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
    const { parseBackup, restoreBackup } = await import(${JSON.stringify(bundle)})
    const backup = parseBackup(fs.readFileSync(${JSON.stringify(backup)}, 'utf8'))
    restoreBackup(backup, { folder: ${JSON.stringify(folder)}, identity: false, isTwinMemory: () => true })`
  const { signal, status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(status).toBe(signal === 'SIGKILL' ? null : 0)
  return signal === 'SIGKILL'
}

const THEN = { 'settings.yaml': 'vendor: then\n', 'twin/slot-0.json': '{"then":true}\n' }
const NOW = { 'settings.yaml': 'vendor: now\n', 'twin/slot-1.json': '{"now":true}\n', 'audit/changes.jsonl': '{}\n' }
const ID = `${'4'.repeat(32)}\n`
const RESTORED = { ...THEN, 'audit/changes.jsonl': '{}\n' }

describe('a restore that is killed', { timeout: 120_000 }, () => {
  it('leaves the old state or one that the next start or restore completes', () => {
    const backup = join(stateWith({ backup: formatBackup(backupOf(stateWith(THEN))) }), 'backup')
    const outcomes: string[] = []
    for (let step = 1; step < MAX_STEPS; step++) {
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
    expect(first).toBeGreaterThan(2)
    expect(outcomes.length - first).toBeGreaterThan(5)
    expect(new Set(outcomes.slice(first))).toEqual(new Set(['vendor: then\n']))
  })
})

describe('completeRestore after an interrupted restore', () => {
  const decided = (files: StateTexts, more = {}) =>
    stateWith({ ...NOW, ...more, 'restore.json': formatBackup({ made: MADE, slotwire: '0.1.0', files }) })
  const OTHERS = { 'audit/changes.jsonl': '{}\n' }

  it('completes the restore and returns what it changed', () => {
    const folder = decided({ 'settings.yaml': 'vendor: then\n', 'machine-id': ID }, { boot: '7' })
    expect(completeRestore(folder)).toEqual({ files: ['settings.yaml', 'machine-id'], removed: ['twin/slot-1.json', 'boot'] })
    expect(filesIn(folder)).toEqual({ 'settings.yaml': 'vendor: then\n', 'machine-id': ID, ...OTHERS })
    expect(completeRestore(folder)).toBeUndefined()
  })

  it('discards a restore that was not decided', () => {
    const folder = stateWith({ ...NOW, 'restore.json.next': '{' })
    expect(completeRestore(folder)).toBeUndefined()
    expect(filesIn(folder)).toEqual(NOW)
  })

  it('changes nothing for a journal that is damaged or names other files', () => {
    const folder = decided({ 'audit/changes.jsonl': 'evil' })
    expect(() => completeRestore(folder)).toThrow('is damaged: restore again (the backup holds "audit/changes.jsonl"')
    writeFileSync(join(folder, 'restore.json'), '')
    expect(() => completeRestore(folder)).toThrow(`${join(folder, 'restore.json')} is damaged: restore again`)
    rmSync(join(folder, 'restore.json'))
    expect(filesIn(folder)).toEqual(NOW)
  })

  it('takes nothing from and puts nothing into another folder through a link', () => {
    const elsewhere = stateWith({ 'restore.json': 'precious', 'slot-1.json': 'precious' })
    const folder = decided(THEN)
    rmSync(join(folder, 'twin'), { recursive: true })
    symlinkSync(elsewhere, join(folder, 'twin'))
    expect(() => completeRestore(folder)).toThrow(`${join(folder, 'twin')} is not a folder: remove the file or link`)
    rmSync(join(folder, 'restore.json'))
    symlinkSync(join(elsewhere, 'restore.json'), join(folder, 'restore.json'))
    expect(completeRestore(folder)).toBeUndefined()
    expect(filesIn(elsewhere)).toEqual({ 'restore.json': 'precious', 'slot-1.json': 'precious' })
  })

  it('must run before the next backup', () => {
    const folder = decided(THEN)
    expect(() => backupOf(folder)).toThrow(
      `a restore into ${folder} was interrupted: start the service, which completes it, or restore again`,
    )
  })
})
