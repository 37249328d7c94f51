export { makeBackup, restoreBackup, revivedTokens } from './backup.ts'
export { type Backup, formatBackup, parseBackup } from './backup-document.ts'
