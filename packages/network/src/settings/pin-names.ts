import {
  choice,
  MAX_NAME_CHARACTERS,
  MAX_UNIT_BYTES,
  type NamedPin,
  pinPlace,
  SCALED_READINGS,
  scaleNumber,
  textOfForm,
  type WordType,
  wordOf,
} from '@slotwire/contract'
import { isVisible, nearest, unknownField } from '@slotwire/core'
import { type Entry, type Tree, textOf } from '@slotwire/storage'
import { type About, type Declaration, type SettingReader, shownKey } from './setting.ts'
import { shortText } from './value-types.ts'

const FIELDS = ['name', 'unit', 'from', 'scale'] as const
/** Points nearer than this are one point. */
const MIN_STEP = 0.001

const form = `visible text in one line with a letter, 1…${MAX_NAME_CHARACTERS} characters, as in pump pressure`
/** Without a letter it could be a slot or a pin. */
const nameWord = textOfForm(
  form,
  (text) => /\p{L}/u.test(text) && text.trim() === text && isVisible(text) && text.length <= MAX_NAME_CHARACTERS,
)
const unitWord = shortText(MAX_UNIT_BYTES)
const fromWord = wordOf(choice(Object.keys(SCALED_READINGS) as (keyof typeof SCALED_READINGS)[]))

/** The setting `pins`: a map from slot/pin to what the pin is called and how its reading is scaled. */
export function pinNames(about: About): Declaration<readonly NamedPin[]> {
  const { key } = about
  return {
    ...about,
    shape: 'map',
    wording: 'map: a pin as slot/pin with its `name`, and with `unit`, `from` and `scale` or without them',
    fallback: [],
    plain: (pins) => Object.fromEntries(pins.map(({ slot, pin, ...named }) => [`${slot}/${pin}`, named])),
    read: (tree, reader) => {
      if (tree.kind === 'map') return new PinNamesReader(key, reader).read(tree.entries)
      if (tree.kind !== 'nothing') reader.report(tree.start, `${key} is a map: write "3/1": { name: … } below it`, key)
      return []
    },
  }
}

type Field = (typeof FIELDS)[number]

/** Reads the setting once, and reports all mistakes in it. */
class PinNamesReader {
  constructor(
    private readonly key: string,
    private readonly reader: SettingReader,
  ) {}

  read(entries: readonly Entry[]): readonly NamedPin[] {
    const pins: NamedPin[] = []
    for (const entry of entries) {
      const read = this.#pin(entry)
      if (read === undefined) continue
      const { at, ...pin } = read
      const other = pins.find(({ name }) => name.toLowerCase() === pin.name.toLowerCase())
      if (other !== undefined) {
        const place = `${other.slot}/${other.pin}`
        this.#report(at, `${this.key}.${entry.key}.name is the name of ${place}, too: choose another for one of them`)
      }
      pins.push(pin)
    }
    return pins
  }

  #pin({ key: place, keySpan, value }: Entry): (NamedPin & { readonly at: number }) | undefined {
    const written = this.reader.attempt({ kind: 'nothing', ...keySpan }, this.key, () => pinPlace.read(place, this.key))
    if (written === undefined) return undefined
    const field = `${this.key}.${place}`
    const fields = new Map<string, Entry>()
    for (const entry of value.kind === 'map' ? value.entries : []) {
      if (FIELDS.includes(entry.key as Field)) fields.set(entry.key, entry)
      else this.#report(entry.keySpan.start, unknownField(`${field}.${shownKey(entry.key)}`, nearest(entry.key, FIELDS), FIELDS))
    }
    const treeOf = (name: Field): Tree | undefined => fields.get(name)?.value
    const nameTree = treeOf('name') ?? { kind: 'nothing', ...keySpan }
    const name = this.#word(nameTree, `${field}.name`, nameWord)
    const unit = this.#word(treeOf('unit'), `${field}.unit`, unitWord)
    const from = this.#word(treeOf('from'), `${field}.from`, fromWord)
    const scale = this.#scale(treeOf('scale'), `${field}.scale`, from, unit)
    const parts = FIELDS.slice(1)
    const missing = parts.find((part) => !fields.has(part))
    if (missing !== undefined && parts.some((part) => fields.has(part)))
      this.#report(keySpan.start, `${field} needs ${missing}, too: unit, from and scale belong together`)
    const [slot = 0, pin = 0] = written.split('/').map(Number)
    if (name === undefined) return undefined
    const scaled = unit === undefined || from === undefined || scale === undefined ? {} : { unit, from, scale }
    return { slot, pin, name, ...scaled, at: nameTree.start }
  }

  #word<Value>(tree: Tree | undefined, field: string, type: WordType<Value>): Value | undefined {
    if (tree === undefined) return undefined
    return this.reader.attempt(tree, this.key, () => type.read(textOf(tree, field, type.wording), field))
  }

  /** Two points; the first number of each is in the unit of the reading. */
  #scale(tree: Tree | undefined, field: string, from: NamedPin['from'], unit: string | undefined): NamedPin['scale'] | undefined {
    if (tree === undefined) return undefined
    const points = tree.kind === 'list' ? tree.items.map((item) => (item.kind === 'list' ? item.items : [])) : []
    if (points.length !== 2 || points.some(({ length }) => length !== 2)) {
      this.#report(tree.start, `${field} must have two points of two numbers: write [[4, 0], [20, 10]]`)
      return undefined
    }
    const types = [from === undefined ? undefined : SCALED_READINGS[from], unit].map((each) => wordOf(scaleNumber(each)))
    const read = points.map((point, index) => types.map((type, at) => this.#word(point[at], `${field}[${index}][${at}]`, type)))
    const numbers = read.map((point) => point.filter((number) => number !== undefined))
    const [[x1, y1] = [], [x2, y2] = []] = numbers
    if (x1 === undefined || y1 === undefined || x2 === undefined || y2 === undefined) return undefined
    const same = Math.abs(x1 - x2) < MIN_STEP ? 'reading' : y1 === y2 ? 'quantity' : undefined
    if (same !== undefined) this.#report(tree.start, `${field} has one ${same} at both points: give two different ones`)
    return numbers
  }

  #report(at: number, message: string): void {
    this.reader.report(at, message, this.key)
  }
}
