export { type BenchExtensionOptions, createBenchExtension } from './bench-extension.ts'
export type { BenchTime } from './bench-time.ts'
export { benchContract } from './contract.ts'
export { benchErrors } from './errors.ts'
