import { type Contract, type Control, type NamedPin, namedPin } from '@slotwire/contract'

/** What a metric has at one moment; undefined: nothing, as the voltage of a pin that counts a frequency. */
export type MetricData = number | boolean | string | undefined

/** A module in its slot. */
export interface ModulePlace {
  readonly service: string
  readonly slot: number
}

/** One value of a device, as systems know it that have names and values only. */
export interface Metric extends ModulePlace {
  /** Its place below the device, unique and without characters that MQTT reserves: `io/3/pin/1/volts`. */
  readonly path: string
  /** For people, unique within the device: `Slot 3 pin 1 volts`. */
  readonly name: string
  readonly help: string
  readonly type: 'number' | 'boolean' | 'text'
  /** As people write it: `V`, `°C`. */
  readonly unit?: string
  /** What is measured, in the words of Home Assistant's device classes: `voltage`. */
  readonly deviceClass?: string
  /** A counter: it only grows, or begins again at 0. */
  readonly isCounter: boolean
  /** Of a text that has only these values. */
  readonly words?: readonly string[]
  /** How commands set it; undefined: they cannot. */
  readonly control?: Control
}

/** A metric with what it has now. */
export interface MetricValue {
  readonly metric: Metric
  readonly value: MetricData
}

/** Metrics that an endpoint gives, as in `modules/<type>/readings.ts`; values are in base units. */
export interface ReadingDeclaration {
  /** Ends with the unit: `rail_volts`. */
  readonly name: string
  readonly help: string
  readonly type?: 'gauge' | 'counter'
  samples(
    reply: never,
    pins: readonly NamedPin[],
  ): readonly {
    readonly labels?: Readonly<Record<string, string | number>>
    readonly value: number
  }[]
}

/** What a bridge has of a module type, all of it declared in the slice of that type. */
export interface ModuleType {
  readonly contract: Contract
  /** By the endpoint that they are read from. */
  readonly readings: Readonly<Record<string, readonly ReadingDeclaration[] | undefined>>
  readonly controls: readonly Control[]
}

/** A module, and what the operator calls its pins. */
export interface NamedPlace extends ModulePlace {
  readonly pins?: readonly NamedPin[] | undefined
}

/** Alerts that arrive for one place of a module, as a pin. */
export interface AlertSource extends ModulePlace {
  /** Below the device: `io/3/pin/1/alert`. */
  readonly path: string
  readonly name: string
  /** Names of the flags, with what they mean. */
  readonly alerts: Readonly<Record<string, string>>
}

type MetricKind = Pick<Metric, 'type' | 'unit' | 'deviceClass' | 'words'> & {
  /** What people call it; empty: the rest of the name says it. */
  readonly noun: string
}
/** What the last word of a reading's name says: base units, as Prometheus names them. */
const KINDS: Readonly<Record<string, MetricKind>> = {
  volts: { type: 'number', unit: 'V', deviceClass: 'voltage', noun: 'voltage' },
  amperes: { type: 'number', unit: 'A', deviceClass: 'current', noun: 'current' },
  watts: { type: 'number', unit: 'W', deviceClass: 'power', noun: 'power' },
  celsius: { type: 'number', unit: '°C', deviceClass: 'temperature', noun: '' },
  hertz: { type: 'number', unit: 'Hz', deviceClass: 'frequency', noun: 'frequency' },
  seconds: { type: 'number', unit: 's', deviceClass: 'duration', noun: '' },
  rpm: { type: 'number', unit: 'rpm', noun: 'speed' },
  level: { type: 'text', words: ['low', 'high'], noun: 'level' },
  mode: { type: 'boolean', noun: 'mode' },
  total: { type: 'number', noun: '' },
  quantity: { type: 'number', noun: 'quantity' },
}
/** What the scale of a pin gives; its unit is that of the pin. */
const QUANTITY = 'quantity'
const OTHER: MetricKind = { type: 'number', noun: '' }

/** The metrics in a reply, with their values. `endpoint`: the name of the endpoint that gave it. Throws for another reply. */
export function readingsOf(type: ModuleType, place: NamedPlace, endpoint: string, reply: unknown): readonly MetricValue[] {
  return (type.readings[endpoint] ?? []).flatMap((reading) => {
    const words = reading.name.split('_')
    const last = words.at(-1) ?? ''
    const subject = words.slice(0, -1).join('_')
    const { noun, ...kind } = KINDS[last] ?? OTHER
    return reading.samples(reply as never, place.pins ?? []).map(({ labels = {}, value }): MetricValue => {
      const unit = last === QUANTITY ? namedPin(place.pins, Number(labels['pin']))?.unit : undefined
      const texts = Object.values(labels).map(String)
      const parts = [subject, ...texts, last].filter((part) => part !== '')
      return {
        metric: {
          service: place.service,
          slot: place.slot,
          ...kind,
          ...(unit === undefined ? {} : { unit }),
          path: pathOf(place, parts.join('/')),
          name: nameOf(place, wordsOf(words.slice(0, -1), texts, noun)),
          help: reading.help,
          isCounter: reading.type === 'counter',
        },
        value: kind.type === 'boolean' ? value !== 0 : kind.words === undefined ? value : kind.words[value],
      }
    })
  })
}

/** The settings of a module, with their values in its state at `/slotwire/state`. */
export function controlsOf({ controls }: ModuleType, place: NamedPlace, state: unknown): readonly MetricValue[] {
  return controls.map((control) => ({
    metric: {
      service: place.service,
      slot: place.slot,
      path: pathOf(place, control.path),
      name: nameOf(place, control.path.split('/')),
      help: control.help,
      type: 'text',
      isCounter: false,
      ...(control.isComplete ? { words: control.words } : {}),
      control,
    },
    value: control.read(state),
  }))
}

/** Where alerts of a module come from: each number of the endpoint that delivers them. */
export function alertSourcesOf({ contract }: ModuleType, place: NamedPlace): readonly AlertSource[] {
  return Object.values(contract.endpoints).flatMap(({ effect, parameters = {}, reply }) => {
    const [entry] = Object.entries(parameters)
    if (effect !== 'deliver' || entry === undefined || reply.type !== 'object') return []
    const [name, { min, max }] = entry
    const alerts = Object.fromEntries(
      Object.entries(reply.properties).map(([alert, { description = '' }]) => [alert, description]),
    )
    return Array.from({ length: max - min + 1 }, (_, index) => ({
      service: place.service,
      slot: place.slot,
      path: alertPath(place, name, min + index),
      name: nameOf(place, [name, String(min + index), 'alert']),
      alerts,
    }))
  })
}

/** The place of an alert below the device: `io/3/pin/1/alert`. */
export function alertPath(place: ModulePlace, what: string, number: number): string {
  return pathOf(place, `${what}/${number}/alert`)
}

function pathOf({ service, slot }: ModulePlace, rest: string): string {
  return `${service}/${slot}/${rest}`
}

/** `Slot 3 pin 1 voltage`, or with the operator's name: `pump pressure voltage`. The name alone is the quantity, else what the pin drives. */
function nameOf({ slot, pins }: NamedPlace, parts: readonly string[]): string {
  const [what, number, ...rest] = parts
  const named = what === 'pin' ? namedPin(pins, Number(number)) : undefined
  if (named === undefined) return `Slot ${slot} ${parts.join(' ').replaceAll('_', ' ')}`
  const noun = rest.length === 0 && named.scale !== undefined ? ['output'] : rest.filter((word) => word !== QUANTITY)
  return [named.name, ...noun].join(' ')
}

const VOLTAGE = /^(\d+)v(\d+)?$/
const ABBREVIATION = /^(ntc|pmc|rtc)(?=_|$)/

/** As a person says it: `12 V rail voltage`. `labels`: which one of several. */
function wordsOf(subject: readonly string[], labels: readonly string[], noun: string): readonly string[] {
  const rail = labels.find((label) => VOLTAGE.test(label))
  const [, whole, fraction = '0'] = VOLTAGE.exec(rail ?? '') ?? []
  const others = labels.filter((label) => label !== rail && label !== 'all')
  const named = others.map((label) => label.replace(ABBREVIATION, (word) => word.toUpperCase()))
  const isNumber = named.length > 0 && named.every((label) => /^\d+$/.test(label))
  const rest = subject.filter((word) => word !== 'rail' && word !== 'limit')
  return [
    ...(whole === undefined ? [] : [`${Number(`${whole}.${fraction}`)} V rail`]),
    ...(isNumber ? [...rest, ...named] : [...named, ...rest]),
    noun,
    ...(subject.includes('limit') ? ['limit'] : []),
  ].filter((word) => word !== '')
}

/** A module within its device. */
export function keyOf({ service, slot }: ModulePlace): string {
  return `${service}/${slot}`
}

/** A metric with what gives its value: an endpoint of a module, or its state. */
interface MetricEntry extends MetricValue {
  readonly source: string
}

/** The metrics of a device with their values. */
export class MetricTable {
  /** By path. */
  readonly #entries = new Map<string, MetricEntry>()

  get metrics(): ReadonlyMap<string, MetricValue> {
    return this.#entries
  }

  /** Takes all values that a source has now. Its other metrics have no value any more. */
  take(values: readonly MetricValue[], source: string): { readonly isNew: boolean; readonly changes: readonly MetricValue[] } {
    const paths = new Set(values.map(({ metric }) => metric.path))
    const lost = [...this.#entries.values()]
      .filter((entry) => entry.source === source && entry.value !== undefined && !paths.has(entry.metric.path))
      .map(({ metric }) => ({ metric, value: undefined }))
    const changes = [...values, ...lost]
    const before = this.#entries.size
    // The name and the unit of a metric may be new.
    for (const { metric, value } of changes) this.#entries.set(metric.path, { metric, value, source })
    return { isNew: this.#entries.size > before, changes }
  }

  /** Forgets the metrics of other modules than these, as from `keyOf`. Returns them. */
  keepOnly(modules: ReadonlySet<string>): readonly Metric[] {
    const removed = [...this.#entries.values()].map(({ metric }) => metric).filter((metric) => !modules.has(keyOf(metric)))
    for (const { path } of removed) this.#entries.delete(path)
    return removed
  }
}
