import { meant, shown } from '@slotwire/core'
import type { Tree } from '@slotwire/storage'
import { quoted } from './problem.ts'
import type { Settings } from './settings.ts'
import type { Reading, ValueType } from './value-type.ts'

/** When a change takes effect: when the running service is told (SIGHUP), or when it is started the next time. */
export type SettingEffect = 'reload' | 'start'

/** A value as JSON and YAML have it; null: what the system says. */
export type PlainValue = PlainWord | readonly PlainWord[] | Readonly<Record<string, PlainWord>>
type PlainWord = string | number | null

/** Who reads settings, and is told what is wrong. */
export interface SettingReader {
  /** Names of the services that there are. */
  readonly services: readonly string[]
  report(at: number, message: string, key?: string): void
}

/** All about one setting; whatever reads, writes, shows or explains it goes by this. */
export interface Setting<Value = unknown> {
  /** With the group around it: `doors.https-port`. */
  readonly key: string
  /** One value, several, or one for each service. */
  readonly shape: 'one' | 'list' | 'by-service'
  /** What may be written, for people. */
  readonly wording: string
  /** One sentence for people. */
  readonly about: string
  /** Part of the specification that it follows from. */
  readonly spec?: string
  readonly effect: SettingEffect
  readonly fallback: Value
  readonly of: (settings: Settings) => Value
  readonly plain: (settings: Settings) => PlainValue
  /** Reports what is wrong; then what it returns is of no use. */
  readonly read: (tree: Tree, reader: SettingReader) => Value
}

/** What a declaration says beside its values. */
type Declaration<Value> = Pick<Setting<Value>, 'key' | 'about' | 'spec' | 'effect' | 'fallback' | 'of'>

/** More than anybody has addresses or names; all of them together still fit into one certificate. */
const MOST_ITEMS = 32

/** A setting with one value. */
export function single<Value>(type: ValueType<Value>, declared: Declaration<NoInfer<Value>>): Setting<Value> {
  return {
    ...declared,
    shape: 'one',
    wording: type.wording,
    plain: (settings) => type.write(declared.of(settings)),
    read: (tree, reader) => {
      const reading = readWord(type, tree)
      if ('value' in reading) return reading.value
      reader.report(tree.start, reading.problem, declared.key)
      return declared.fallback
    },
  }
}

/** A setting with several values, each there once, in the order in which they are written. */
export function list<Value>(type: ValueType<Value>, declared: Declaration<readonly Value[]>): Setting<readonly Value[]> {
  return {
    ...declared,
    shape: 'list',
    wording: `list: ${type.wording}`,
    plain: (settings) => declared.of(settings).map(type.write),
    read: (tree, reader) => {
      const { key } = declared
      if (tree.kind !== 'list') {
        const problem = tree.kind === 'text' ? `is a list: write [${shown(tree.text)}]` : 'is a list: write [a, b], or []'
        reader.report(tree.start, problem, key)
        return declared.fallback
      }
      if (tree.items.length > MOST_ITEMS)
        reader.report(tree.start, `has ${tree.items.length} entries: at most ${MOST_ITEMS}`, key)
      const values = new Set<Value>()
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

/** A setting with a value for each of some services. */
export function byService<Value>(
  type: ValueType<Value>,
  declared: Declaration<Readonly<Record<string, Value>>>,
): Setting<Readonly<Record<string, Value>>> {
  const { key, of, fallback } = declared
  return {
    ...declared,
    shape: 'by-service',
    wording: `for each service: ${type.wording}`,
    plain: (settings) => Object.fromEntries(Object.entries(of(settings)).map(([name, value]) => [name, type.write(value)])),
    read: (tree, reader) => {
      if (tree.kind === 'nothing') return fallback
      if (tree.kind !== 'map') {
        reader.report(tree.start, 'is a group: write each service below it, indented: io: …', key)
        return fallback
      }
      const values: [string, Value][] = []
      for (const { key: name, keySpan, value: valueTree } of tree.entries) {
        if (!reader.services.includes(name)) {
          reader.report(keySpan.start, `${quoted(name)} is no service: ${meant(name, reader.services)}`, key)
          continue
        }
        const reading = readWord(type, valueTree)
        if ('value' in reading) values.push([name, reading.value])
        else reader.report(valueTree.start, reading.problem, `${key}.${name}`)
      }
      return Object.fromEntries(values)
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
      return { problem: 'is a list where one value is meant: write it without [ ] and -' }
    case 'map':
      return { problem: 'has something below it where one value is meant: if it holds a colon and a space, put it in quotes' }
  }
}
