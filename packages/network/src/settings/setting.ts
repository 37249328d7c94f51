import { quoted, shown } from '@slotwire/core'
import { type Tree, textOf } from '@slotwire/storage'
import type { ValueType } from './value-types.ts'

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

/** The part of a declaration that does not depend on the shape. */
export interface About {
  /** Key with its group: `doors.https-port`. If there is an option of the same meaning, the key ends with the option's name. */
  readonly key: string
  /** Description in one sentence. */
  readonly about: string
  /** Related part of the specification. */
  readonly spec?: string
  /** When a change takes effect: when the running service reloads (SIGHUP), or at its next start. */
  readonly effect: 'reload' | 'start'
}

/** Declaration of a setting; reading, writing and help are based on it. */
export interface Declaration<Value> extends About {
  readonly shape: 'one' | 'list' | 'map'
  /** Allowed values, for users. */
  readonly wording: string
  readonly fallback: Value
  plain(this: void, value: Value): PlainValue
  /** Reports problems; the returned value is then invalid. */
  read(this: void, tree: Tree, reader: SettingReader): Value
}

/** Enough for any device; the names of all lists together fit into one certificate. */
const MAX_ITEMS = 32

/** A setting with one value. Undefined is the default of every setting that may be undefined. */
export function single<Value extends string | number | undefined>(
  type: ValueType<Value>,
  declared: About & { readonly fallback: NoInfer<Value> },
): Declaration<Value> {
  const { key, fallback } = declared
  return {
    ...declared,
    shape: 'one',
    wording: type.wording,
    plain: (value) => value ?? type.unset ?? null,
    read: (tree, reader) => reader.attempt(tree, key, () => type.read(textOf(tree, key, type.wording), key)) ?? fallback,
  }
}

/** A setting with a list of distinct values, in the given order; by default it has none. */
export function list<Item extends string | number>(type: ValueType<Item>, about: About): Declaration<readonly Item[]> {
  const { key } = about
  return {
    ...about,
    shape: 'list',
    wording: `list: ${type.wording}`,
    fallback: [],
    plain: (values) => values,
    read: (tree, reader) => {
      if (tree.kind !== 'list') {
        const remedy = tree.kind === 'text' ? `[${shown(tree.text)}]` : '[a, b], or []'
        reader.report(tree.start, `${key} is a list: write ${remedy}`, key)
        return []
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

/** A problem in a settings file, for its author. */
export interface SettingsProblem {
  /** Name of the file, without folder. */
  readonly file: string
  /** From 1; undefined: the whole file, or a value from elsewhere. */
  readonly line: number | undefined
  /** The setting with its group (`doors.https-port`); undefined: no particular one. */
  readonly key: string | undefined
  /** A sentence with the key, the problem and its remedy. */
  readonly message: string
}

/** A problem in the form for users: `settings.yaml:4: doors.https-port is out of range: …`. */
export function formatProblem({ file, line, message }: SettingsProblem): string {
  return `${line === undefined ? file : `${file}:${line}`}: ${message}`
}

/** Invalid settings, with all problems. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'

  constructor(readonly problems: readonly SettingsProblem[]) {
    super(problems.map(formatProblem).join('\n'))
  }
}

/** A key as a message shows it; unusual ones are quoted. */
export function shownKey(key: string): string {
  return /^[\w.-]{1,60}$/.test(key) ? key : quoted(key)
}
