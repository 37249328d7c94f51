export {
  DurableFile,
  type DurableFileOptions,
  giveToOwnerOf,
  makeFolder,
  syncFolder,
  UnusableFileError,
  type WriteGuard,
} from './durable-file.ts'
export { type FileLock, type LockAttempt, lockHolder, tryLock, UnreadableLockError } from './file-lock.ts'
export { identityOf, type ProcessIdentity } from './process-identity.ts'
export { RotatedLines } from './rotated-lines.ts'
export { type Place, type ReadTree, readTree } from './yaml/read-tree.ts'
export * from './yaml/tree.ts'
export type { Fault } from './yaml/yaml-fault.ts'
export { type YamlDocument, yaml } from './yaml/yaml-library.ts'
