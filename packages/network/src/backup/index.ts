export { makeBackup, restoreBackup } from './backup.ts'
export { type Backup, formatBackup, hasIdentity, parseBackup } from './backup-document.ts'
