export { boolean, checked, decimal, integer } from '@slotwire/contract'
export type { BenchSettings, CallOf, Kind } from './kind.ts'
export { type SettingFields, SettingValues } from './kind.ts'
export { MAX_FREQUENCY_HZ } from './quantities.ts'
