export { boolean, checked, decimal, integer } from '@slotwire/contract'
export type { CallOf, Kind, Settings } from './kind.ts'
export { type SettingFields, SettingValues } from './kind.ts'
export { MAX_FREQUENCY_HZ } from './quantities.ts'
