export * from './notifications.ts'
export * from './power-budget.ts'
export * from './slot-api.ts'
export * from './power-gate.ts'
