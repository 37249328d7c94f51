import { execFileSync, spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Log, ManualClock } from '@slotwire/core'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { RecordingLog } from '../../../driver/src/rack/recording-log.testkit.ts'
import type { AuditEntry } from '../audit/audit-log.ts'
import { Certificates } from './certificates.ts'
import type { CertificateImport } from './import-check.ts'
import { CertificateStore } from './stored-certificates.ts'

/** 2026-11-21T12:00:00Z. */
export const NOVEMBER_2026 = 1_795_262_400_000
export const DAY = 86_400_000
export const MINUTE = 60_000

/** SHA-256 fingerprint of the authority. */
export function fingerprintOf({ authorityPem }: { readonly authorityPem: string }): string {
  return new X509Certificate(authorityPem).fingerprint256
}

/** Same effect as `slotwire cert`: changes the files and makes the service read them again. */
function certCommands(folder: string, certificates: Certificates, wallTime: () => number) {
  const store = new CertificateStore(folder)
  return {
    renew: async () => {
      const { material } = await store.renew(wallTime())
      await certificates.reload()
      return material
    },
    import: async (imported: CertificateImport) => {
      const { warnings } = store.import(imported, wallTime())
      await certificates.reload()
      return warnings
    },
    undoImport: async () => {
      store.undoImport()
      await certificates.reload()
    },
  }
}

/** A device with a date that the test sets. */
export async function device(options: { readonly folder?: string; readonly date?: number } = {}) {
  const folder = options.folder ?? temporaryFolder()
  const clock = new ManualClock()
  const log = new RecordingLog()
  const date = { now: options.date ?? NOVEMBER_2026 }
  const audited: AuditEntry[] = []
  const certificates = await Certificates.open({
    folder,
    clock,
    wallTime: () => date.now,
    log,
    deviceName: 'line-3 1f2e3d4c',
    audit: { add: (entry) => audited.push(entry) },
  })
  onTestFinished(() => certificates.close())
  /** Advances the date, and lets the device notice it. */
  const passTime = async (ms: number): Promise<void> => {
    date.now += ms
    await clock.advance(MINUTE)
  }
  const changes = certCommands(folder, certificates, () => date.now)
  return {
    folder,
    clock,
    date,
    certificates,
    changes,
    passTime,
    audited,
    lines: log.lines,
    /** The messages of a level. */
    of: (level: keyof Log) => log.linesOf(level).map(({ message }) => message),
    file: (name: string) => join(folder, name),
  }
}

/** Runs the real openssl in a folder; `run` throws if it fails. */
export function opensslIn(folder: string, program: string) {
  const run = (...args: string[]): string =>
    execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const write = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content)
    return name
  }
  /** Output of the command, whether it succeeds or fails. */
  const outputOf = (...args: string[]): string => {
    const { stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8', input: '' })
    return stdout + stderr
  }
  return { run, write, outputOf }
}
