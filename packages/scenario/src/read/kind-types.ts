import { type Element, elementKinds, type Fault, faultKinds } from '@slotwire/twin'
import { KindTable } from './declared.ts'
import type { FieldType } from './field.ts'
import { nameOf } from './name-of.ts'

/** Elements that can be connected. */
export const elements = new KindTable<Element>('an element', Object.values(elementKinds))
/** Faults of a slot. */
export const faults = new KindTable<Fault>('a fault', Object.values(faultKinds))

const wording = 'an element with its settings, as in { source: 24V, ohms: 10k }'

/** An element: `{ source: 24V, ohms: 10k }`, `{ square_wave: 100Hz, low_volts: 0, high_volts: 5V }`, `short`. */
export const elementType: FieldType<Element> = {
  wording,
  read: (tree, reading, name) => {
    if (tree.kind === 'map') return elements.read(tree.entries, tree, reading)
    if (tree.kind !== 'text') return reading.fail(tree, `${name} is ${nameOf(tree)}: ${wording}`)
    const { start, end } = tree
    return elements.read([{ key: tree.text, keySpan: tree, value: { kind: 'nothing', start, end } }], tree, reading)
  },
}
