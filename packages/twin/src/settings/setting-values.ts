import type { Field, Settings, SwitchField } from './field.ts'
import { defaultSettings } from './field.ts'

/** Settings of a module type by their names in code, as in `probe1Celsius`. Each needs a default: its value when a module is plugged. */
export type SettingFields = Readonly<Record<string, Field & { readonly default: number | boolean }>>

/** Values of declared settings. */
export type ValuesOf<Of extends SettingFields> = { readonly [Name in keyof Of]: Of[Name] extends SwitchField ? boolean : number }

/** Present values of the settings of one plugged module, at first their defaults. */
export class SettingValues<const Of extends SettingFields> {
  #now: ValuesOf<Of>
  readonly #changed: () => void

  /** `changed` is called after each change. */
  constructor(fields: Of, changed: () => void = () => {}) {
    this.#now = defaultSettings(fields) as ValuesOf<Of>
    this.#changed = changed
  }

  get now(): ValuesOf<Of> {
    return this.#now
  }

  /** Takes some of the declared settings. The bench has checked them. */
  set(change: Settings): void {
    this.#now = { ...this.#now, ...change }
    this.#changed()
  }
}
