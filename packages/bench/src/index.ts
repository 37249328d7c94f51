export type { BenchTime } from './bench-time.ts'
