import { quoted, shown } from '@slotwire/core'
import { type Tree, textOf } from '@slotwire/storage'
import type { Settings } from './settings.ts'
import type { ValueType } from './value-types.ts'

/** When a change takes effect: when the running service reloads (SIGHUP), or at its next start. */
export type SettingEffect = 'reload' | 'start'

/** A value as in JSON and YAML; null: taken from the system. */
export type PlainValue = PlainWord | readonly PlainWord[] | Readonly<Record<string, object>>
type PlainWord = string | number | null

/** Context while settings are read; collects problems. */
export interface SettingReader {
  /** `message`: a sentence that names the setting, and the remedy. */
  report(at: number, message: string, key?: string): void
  /** The result of `read`; undefined if it throws `RangeError`, whose message is reported at `tree`. */
  attempt<Value>(tree: Tree, key: string, read: () => Value): Value | undefined
}

/** Declaration of a setting; reading, writing and help are based on it. */
export interface Setting<Value = unknown> {
  /** Name in code. */
  readonly name: keyof Settings
  /** Key with its group: `doors.https-port`. If there is an option of the same meaning, the key ends with the option's name. */
  readonly key: string
  readonly shape: 'one' | 'list' | 'map'
  /** Allowed values, for users. */
  readonly wording: string
  /** Description in one sentence. */
  readonly about: string
  /** Related part of the specification. */
  readonly spec?: string
  readonly effect: SettingEffect
  readonly fallback: Value
  readonly plain: (settings: Settings) => PlainValue
  /** Reports problems; the returned value is then invalid. */
  readonly read: (tree: Tree, reader: SettingReader) => Value
}

/** The part of a declaration that does not depend on the type. */
export type Declaration<Value> = Pick<Setting<Value>, 'key' | 'about' | 'spec' | 'effect' | 'fallback'>

/** Enough for any device; the names of all lists together fit into one certificate. */
const MAX_ITEMS = 32

/** A setting with one value. Undefined is the default of every setting that may be undefined. */
export function single<Name extends Exclude<keyof Settings, 'pins'>>(
  name: Name,
  type: ValueType<Settings[Name]>,
  declared: Declaration<Settings[Name]>,
): Setting<Settings[Name]> {
  const { key, fallback } = declared
  return {
    ...declared,
    name,
    shape: 'one',
    wording: type.wording,
    plain: (settings) => settings[name] ?? type.unset ?? null,
    read: (tree, reader) => reader.attempt(tree, key, () => type.read(textOf(tree, key, type.wording), key)) ?? fallback,
  }
}

/** A setting with a list of distinct values, in the given order. */
export function list<Item extends string | number>(
  name: 'names' | 'loopbackPorts' | 'loopbackHosts' | 'listen' | 'corsOrigins' | 'proxies',
  type: ValueType<Item>,
  declared: Declaration<readonly Item[]>,
): Setting<readonly Item[]> {
  const { key, fallback } = declared
  return {
    ...declared,
    name,
    shape: 'list',
    wording: `list: ${type.wording}`,
    plain: (settings) => settings[name],
    read: (tree, reader) => {
      if (tree.kind !== 'list') {
        const remedy = tree.kind === 'text' ? `[${shown(tree.text)}]` : '[a, b], or []'
        reader.report(tree.start, `${key} is a list: write ${remedy}`, key)
        return fallback
      }
      if (tree.items.length > MAX_ITEMS)
        reader.report(tree.start, `${key} has ${tree.items.length} items: at most ${MAX_ITEMS}`, key)
      const values = new Set<Item>()
      for (const [index, item] of tree.items.slice(0, MAX_ITEMS).entries()) {
        const field = `${key}[${index}]`
        const value = reader.attempt(item, key, () => type.read(textOf(item, field, type.wording), field))
        if (value === undefined) continue
        if (values.has(value)) reader.report(item.start, `${key} has ${quoted(String(value))} twice: remove one`, key)
        values.add(value)
      }
      return [...values]
    },
  }
}
