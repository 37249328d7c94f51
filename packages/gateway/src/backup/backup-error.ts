/** A backup that cannot be made, or cannot be restored, and what to do about it. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}
