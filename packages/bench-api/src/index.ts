export type { BenchTime } from './bench-endpoint.ts'
export { type BenchExtensionOptions, benchContract, createBenchExtension } from './bench-extension.ts'
