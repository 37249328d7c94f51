export * from './endpoint.ts'
