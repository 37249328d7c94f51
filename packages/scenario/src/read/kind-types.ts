import { messageOf, shown } from '@slotwire/core'
import type { Entry } from '@slotwire/storage'
import { type Element, elementKinds, type Fault, faultKinds } from '@slotwire/twin'
import { KindTable } from './declared.ts'
import { type FieldType, textOf } from './field.ts'
import { nameOf } from './name-of.ts'
import type { Reading } from './reading.ts'

/** Elements that can be connected. */
export const elements = new KindTable<Element>('an element', Object.values(elementKinds))
/** Faults of a slot. */
export const faults = new KindTable<Fault>('a fault', Object.values(faultKinds))

const wording = 'an element with its settings, as in { source: 24V, ohms: 10k }'

/** An element: `{ source: 24V, ohms: 10k }`, `{ square_wave: 100Hz, low_volts: 0, high_volts: 5V }`, `short`. */
export const elementType: FieldType<Element> = {
  wording,
  read: (tree, reading, name) => {
    if (tree.kind === 'map') {
      const entries = withFiles(tree.entries, reading)
      return entries && elements.read(entries, tree, reading)
    }
    if (tree.kind !== 'text') return reading.fail(tree, `${name} is ${nameOf(tree)}: ${wording}`)
    const { start, end } = tree
    return elements.read([{ key: tree.text, keySpan: tree, value: { kind: 'nothing', start, end } }], tree, reading)
  },
}

/** Puts the text of the file that `csv_file` names in its place, also below the name of the kind. Undefined if a file is unusable. */
function withFiles(entries: readonly Entry[], reading: Reading): readonly Entry[] | undefined {
  const read = entries.map((entry): Entry | undefined => {
    if (entry.value.kind === 'map') {
      const inner = withFiles(entry.value.entries, reading)
      return inner && { ...entry, value: { ...entry.value, entries: inner } }
    }
    return entry.key === 'csv_file' ? csvEntry(entry, reading) : entry
  })
  const found = read.filter((entry) => entry !== undefined)
  return found.length === read.length ? found : undefined
}

function csvEntry(entry: Entry, reading: Reading): Entry | undefined {
  const name = textOf(entry.value, reading, 'csv_file', 'the name of a file beside the scenario')
  if (name === undefined) return undefined
  reading.files.add(name)
  if (reading.readFile === undefined)
    return reading.fail(entry.value, 'csv_file: this scenario is not in a folder: write its text with csv')
  try {
    return {
      ...entry,
      key: 'csv',
      value: { kind: 'text', start: entry.value.start, end: entry.value.end, text: reading.readFile(name), isQuoted: true },
    }
  } catch (error) {
    return reading.fail(entry.value, `csv_file ${shown(name)} cannot be read: ${messageOf(error)}`)
  }
}
