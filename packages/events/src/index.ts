export { Journal, type JournalOptions } from './journal.ts'
export { formatPosition, type Position, parsePosition } from './position.ts'
export { type JournalRecord, type NewRecord, type RecordKind, recordKinds } from './record.ts'
export * from './scope.ts'
