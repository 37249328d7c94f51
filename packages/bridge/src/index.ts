export * from './broker.ts'
export * from './metric.ts'
export * from './output.ts'
export * from './topics.ts'
