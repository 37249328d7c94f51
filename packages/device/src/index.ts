export * from './device-service.ts'
