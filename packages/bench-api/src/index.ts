export type { BenchTime } from './bench-endpoint.ts'
export { type BenchExtensionOptions, createBenchExtension } from './bench-extension.ts'
export { benchContract } from './contract.ts'
export { benchErrors } from './errors.ts'
