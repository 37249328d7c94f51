export {
  DurableFile,
  type DurableFileOptions,
  makeFolder,
  readBytes,
  UnusableFileError,
  type WriteGuard,
} from './durable-file.ts'
export { type FileLock, identityOf, lockHolder, type ProcessIdentity, tryLock, UnreadableLockError } from './file-lock.ts'
export { RotatedLines } from './rotated-lines.ts'
export * from './yaml.ts'
