export { DurableFile, giveToOwnerOf, makeFolder, syncFolder } from './durable-file.ts'
export { type FileLock, type LockAttempt, lockHolder, tryLock, UnreadableLockError } from './file-lock.ts'
export { identityOf, type ProcessIdentity } from './process-identity.ts'
