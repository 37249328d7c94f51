import { quoted, shown } from '@slotwire/core'
import type { Tree } from '@slotwire/storage'
import type { Settings } from './settings.ts'
import type { Reading, ValueType } from './value-type.ts'

/** When a change takes effect: when the running service reloads (SIGHUP), or at its next start. */
export type SettingEffect = 'reload' | 'start'

/** A value as in JSON and YAML; null: taken from the system. */
export type PlainValue = PlainWord | readonly PlainWord[]
type PlainWord = string | number | null

/** Context while settings are read; collects problems. */
export interface SettingReader {
  report(at: number, message: string, key?: string): void
}

/** Declaration of a setting; reading, writing and help are based on it. */
export interface Setting<Value = unknown> {
  /** Name in code. */
  readonly name: keyof Settings
  /** Key with its group: `doors.https-port`. If there is an option of the same meaning, the key ends with the option's name. */
  readonly key: string
  readonly shape: 'one' | 'list'
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
type Declaration<Value> = Pick<Setting<Value>, 'key' | 'about' | 'spec' | 'effect' | 'fallback'>

/** Enough for any device; the names of all lists together fit into one certificate. */
const MOST_ITEMS = 32

/** A setting with one value. */
export function single<Name extends keyof Settings>(
  name: Name,
  type: ValueType<Settings[Name]>,
  declared: Declaration<Settings[Name]>,
): Setting<Settings[Name]> {
  return {
    ...declared,
    name,
    shape: 'one',
    wording: type.wording,
    plain: (settings) => settings[name] ?? type.unset ?? null,
    read: (tree, reader) => {
      const reading = readWord(type, tree)
      if ('value' in reading) return reading.value
      reader.report(tree.start, reading.problem, declared.key)
      return declared.fallback
    },
  }
}

/** A setting with a list of distinct values, in the given order. */
export function list<Item extends string | number>(
  name: 'names' | 'loopbackPorts' | 'loopbackHosts' | 'listen' | 'corsOrigins' | 'proxies',
  type: ValueType<Item>,
  declared: Declaration<readonly Item[]>,
): Setting<readonly Item[]> {
  return {
    ...declared,
    name,
    shape: 'list',
    wording: `list: ${type.wording}`,
    plain: (settings) => settings[name],
    read: (tree, reader) => {
      const { key } = declared
      if (tree.kind !== 'list') {
        const problem = tree.kind === 'text' ? `is a list: write [${shown(tree.text)}]` : 'is a list: write [a, b], or []'
        reader.report(tree.start, problem, key)
        return declared.fallback
      }
      if (tree.items.length > MOST_ITEMS)
        reader.report(tree.start, `has ${tree.items.length} entries: at most ${MOST_ITEMS}`, key)
      const values = new Set<Item>()
      for (const item of tree.items.slice(0, MOST_ITEMS)) {
        const reading = readWord(type, item)
        if ('problem' in reading) reader.report(item.start, reading.problem, key)
        else if (values.has(reading.value))
          reader.report(item.start, `${quoted(String(reading.value))} is there twice: remove one`, key)
        else values.add(reading.value)
      }
      return [...values]
    },
  }
}

function readWord<Value>(type: ValueType<Value>, tree: Tree): Reading<Value> {
  switch (tree.kind) {
    case 'text':
      return type.read(tree.text)
    case 'nothing':
      return { problem: 'has no value: write one, or remove the line for the default' }
    case 'list':
      return { problem: 'is a list, but one value is expected: write it without [ ] and -' }
    case 'map':
      return { problem: 'is a group, but one value is expected: if the value contains a colon and a space, put it in quotes' }
  }
}
