// Every kind of element and of fault.
export * from './circuit/elements/kinds.ts'
export * from './faults/kinds.ts'
