import type { BooleanSchema, DecimalSchema, IntegerSchema } from '@slotwire/contract'
import { defaultsOf, type Settings } from './kind.ts'

/** Declared settings of a module type, by name in code: `probe1Celsius`. The default is the value of a new module. */
export type SettingFields = Readonly<Record<string, DecimalSchema | IntegerSchema | BooleanSchema>>

/** Values of declared settings. */
export type ValuesOf<Of extends SettingFields> = {
  readonly [Name in keyof Of]: Of[Name] extends BooleanSchema ? boolean : number
}

/** Current settings of one plugged module; initially the defaults. */
export class SettingValues<const Of extends SettingFields> {
  #now: ValuesOf<Of>
  readonly #changed: () => void

  /** `changed` is called after each change. */
  constructor(fields: Of, changed: () => void = () => {}) {
    this.#now = defaultsOf(fields) as ValuesOf<Of>
    this.#changed = changed
  }

  get now(): ValuesOf<Of> {
    return this.#now
  }

  /** Changes some settings; the caller has checked them. */
  set(change: Settings): void {
    this.#now = { ...this.#now, ...change }
    this.#changed()
  }
}
