import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bundleSources } from '../../../../tools/build/bundle-sources.mjs'
import { backupOf, filesIn, stateWith } from './backup.testkit.ts'
import { formatBackup } from './backup-document.ts'
import { restoreBackup } from './restore-backup.ts'
import { completeRestore } from './restore-stage.ts'

const { document, restore } = await bundleSources({
  document: 'packages/network/src/backup/backup-document.ts',
  restore: 'packages/network/src/backup/restore-backup.ts',
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
    restoreBackup(backup, { folder: ${JSON.stringify(folder)}, identity: false })`
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
      restoreBackup(backupOf(stateWith(THEN)), { folder: again, identity: false })
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
  const interrupted = (plan: string) =>
    stateWith({ ...NOW, 'restore.next/settings.yaml': 'vendor: then\n', 'restore.next/plan.json': plan })
  const PLAN = JSON.stringify({ files: ['settings.yaml'], removed: ['twin/slot-1.json'] })

  it('completes the restore and returns its plan', () => {
    const folder = interrupted(PLAN)
    expect(completeRestore(folder)).toEqual({ files: ['settings.yaml'], removed: ['twin/slot-1.json'] })
    expect(filesIn(folder)).toEqual({ 'settings.yaml': 'vendor: then\n', 'audit/changes.jsonl': '{}\n' })
    expect(completeRestore(folder)).toBeUndefined()
  })

  it('discards a restore that was not committed', () => {
    const folder = stateWith({ ...NOW, 'restore.next/settings.yaml': 'vendor: then\n' })
    expect(completeRestore(folder)).toBeUndefined()
    expect(filesIn(folder)).toEqual(NOW)
  })

  it('rejects a plan with other paths', () => {
    for (const path of ['../precious', '/etc/passwd', 'audit/changes.jsonl', 'lock']) {
      for (const plan of [
        { files: [path], removed: [] },
        { files: [], removed: [path] },
      ]) {
        const folder = interrupted(JSON.stringify(plan))
        const before = filesIn(folder)
        expect(() => completeRestore(folder)).toThrow('restore.next/plan.json is damaged: remove ')
        expect(filesIn(folder)).toEqual(before)
      }
    }
    expect(() => completeRestore(interrupted('{'))).toThrow('plan.json is damaged')
  })

  it('refuses if a staged file is missing', () => {
    const folder = interrupted(JSON.stringify({ files: ['settings.yaml', 'tokens.json'], removed: [] }))
    expect(() => completeRestore(folder)).toThrow(
      `the restore into ${folder} was interrupted and cannot be completed, tokens.json is missing: remove ${folder}/restore.next, and restore again`,
    )
  })

  it('must run before the next backup', () => {
    const folder = interrupted(PLAN)
    expect(() => backupOf(folder)).toThrow(
      `a restore into ${folder} was interrupted: start the service, which completes it, or restore again`,
    )
  })
})
