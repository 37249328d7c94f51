import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '@slotwire/storage'
import { readAuthority } from '../certificates/authority.ts'
import { certificateFiles, certificatesFolder } from '../certificates/certificate-files.ts'
import { readImportedCertificate } from '../certificates/presented-certificate.ts'
import { OperatorError, reworded } from '../operator-error.ts'
import { LAST_GOOD_FILE } from '../settings/read-settings-file.ts'
import { parseTokens, type StoredToken } from '../tokens/token-document.ts'
import { checkContent } from './backup-content.ts'
import type { Backup, BackupFile } from './backup-document.ts'
import { readStateFile, statePaths } from './collect-state.ts'
import { withRememberedNames } from './remembered-names.ts'
import { commit, completeRestore, discard, type RestorePlan, stage } from './restore-stage.ts'
import { stateFileOf } from './state-files.ts'

export interface RestoreOptions {
  /** The state folder, locked. Made if it is not there. */
  readonly folder: string
  /** With machine id and authority: the device becomes the one of the backup. */
  readonly identity: boolean
}

/**
 * Restores a backup into a state folder: replaces the files and removes those that the backup does not have. Keeps the identity unless
 * `identity` is set. Checks everything first. A kill at any moment leaves the old state, or one that `completeRestore` completes. Throws
 * `OperatorError`, `SettingsError`, or the system's error.
 */
export function restoreBackup(backup: Backup, { folder, identity }: RestoreOptions): RestorePlan {
  if (identity && !backup.identity) {
    throw new OperatorError('the backup holds no identity: it was made without --identity, restore it without')
  }
  const files = backup.files.filter(({ path }) => identity || stateFileOf(path)?.identity === false)
  for (const file of files) checkContent(file)
  makeFolder(folder)
  completeRestore(folder)
  const present = statePaths(folder, identity)
  const restored = withNames(folder, files)
  const paths = restored.map(({ path }) => path)
  const lastGood = existsSync(join(folder, LAST_GOOD_FILE)) ? [LAST_GOOD_FILE] : []
  // The number of the last start is that of another life: the next start takes one that is above those of the backup's device.
  const lastBoot = identity && existsSync(join(folder, 'boot')) ? ['boot'] : []
  const plan = { files: paths, removed: [...present.filter((path) => !paths.includes(path)), ...lastGood, ...lastBoot] }
  try {
    checkCertificates(stage(folder, restored))
  } catch (error) {
    discard(folder)
    throw error
  }
  commit(folder, plan)
  return plan
}

/** Takes host names from the backup; the other values of `discovery.json` concern this machine. */
function withNames(folder: string, files: readonly BackupFile[]): readonly BackupFile[] {
  const path = 'discovery.json'
  const saved = files.find((file) => file.path === path)
  const text = withRememberedNames(saved?.text, readStateFile(folder, path)?.content.toString())
  const others = files.filter((file) => file !== saved)
  return text === undefined ? others : [...others, { path, mode: 0o600, text }]
}

/** Reads the certificates as the service will. */
function checkCertificates(staged: string): void {
  const files = certificateFiles(certificatesFolder(staged))
  const wording = (fault: string) => `the certificates in the backup cannot be used (${fault.replaceAll(`${staged}/`, '')})`
  reworded(() => readAuthority(files), wording)
  reworded(() => readImportedCertificate(files), wording)
}

const TOKENS_FILE = 'tokens.json'

/** Names of tokens that the restore would bring back: in the backup, but not in the state folder. Throws the system's error. */
export function revivedTokens(backup: Backup, folder: string): readonly string[] {
  const saved = backup.files.find(({ path }) => path === TOKENS_FILE)
  if (saved === undefined) return []
  const present = readStateFile(folder, TOKENS_FILE)
  // Compare secrets, not ids: an id may be the same by chance or by hand.
  const known = new Set(tokensIn(present?.content.toString() ?? '').map(({ sha256 }) => sha256))
  return tokensIn(saved.text).flatMap(({ name, sha256 }) => (known.has(sha256) ? [] : [name]))
}

/** Empty for an invalid list: a damaged file may be the reason for the restore, and the restore reports a damaged backup. */
function tokensIn(text: string): readonly StoredToken[] {
  try {
    return parseTokens(text)
  } catch (error) {
    if (error instanceof OperatorError) return []
    throw error
  }
}
