export { type Backup, formatBackup, MOST_BACKUP_BYTES, parseBackup } from './backup-document.ts'
export { makeBackup } from './make-backup.ts'
export { restoreBackup, revivedTokens } from './restore-backup.ts'
export { type RestorePlan } from './restore-stage.ts'
