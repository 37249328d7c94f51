export type { Field, Fields, NumberField, Settings, SwitchField, TextField } from './field.ts'
export { type CallOf, isNeeded, type Kind } from './kind.ts'
export { MAX_FREQUENCY_HZ } from './quantities.ts'
export { type SettingFields, SettingValues } from './setting-values.ts'
