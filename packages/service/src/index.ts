export * from './module-service.ts'
