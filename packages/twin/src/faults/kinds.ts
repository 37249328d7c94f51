// Every kind of fault: all that this file exports, by name.
export * from './frame-faults.ts'
export * from './module-faults.ts'
