import { listOf, mistake, type NamedPin, namedPinSchema, parsePosition, recordKinds } from '@slotwire/contract'
import type { MetricValue, ModuleType } from './metric.ts'
import type { DeviceRecord } from './record-queue.ts'

/** Kinds of records that are delivered: all but writes, which may be many. */
export const KINDS: readonly string[] = recordKinds.filter((kind) => kind !== 'write')
/** Far above a device with all slots full. */
const MAX_METRICS = 2000
/** Of a value that is text. */
const MAX_VALUE_CHARACTERS = 256
/** Of a record, or the named pins of a module, as JSON. */
const MAX_RECORD_CHARACTERS = 16_384
/** Of a slot or a pin: other devices may have more than this one. */
const MAX_PLACE = 255
/** No `+`, `#` or NUL: a topic with one of them makes the broker close the connection. */
const PATH = /^\w{1,40}(\/\w{1,40}){1,6}$/

const NAMED_PINS = listOf(namedPinSchema)

type Types = Readonly<Record<string, ModuleType>>

const isPlace = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_PLACE

/** Whether a record has a kind that is delivered, a valid id and place, and a bounded size. The device is not trusted. */
export function isRecordAllowed(record: DeviceRecord, types: Types): boolean {
  const { kind, slot, pin, service, id } = record
  return (
    KINDS.includes(kind) &&
    typeof id === 'string' &&
    parsePosition(id) !== undefined &&
    [slot, pin].every((place) => place === undefined || isPlace(place)) &&
    (service === undefined || isModuleAllowed({ service, slot }, types)) &&
    JSON.stringify(record).length <= MAX_RECORD_CHARACTERS
  )
}

/** Whether a module is of a known service, in a slot. */
export function isModuleAllowed({ service, slot }: { readonly service: unknown; readonly slot: unknown }, types: Types): boolean {
  return typeof service === 'string' && Object.hasOwn(types, service) && isPlace(slot)
}

/** Whether named pins are as the contract has them. */
export function arePinsAllowed(pins: unknown): pins is readonly NamedPin[] {
  return mistake(NAMED_PINS, pins, 'pins') === undefined && JSON.stringify(pins).length <= MAX_RECORD_CHARACTERS
}

/** The values that can be published. `known`: the metrics that the device has. */
export function allowedValues(values: readonly MetricValue[], known: ReadonlyMap<string, unknown>): readonly MetricValue[] {
  let room = MAX_METRICS - known.size
  return values.filter(({ metric: { path }, value }) => {
    if (!PATH.test(path) || (!known.has(path) && room-- <= 0)) return false
    return typeof value === 'string' ? value.length <= MAX_VALUE_CHARACTERS : typeof value !== 'number' || Number.isFinite(value)
  })
}
