import { commandCodeOf, ERROR_OPERATION, STATUS_OK } from './command.ts'
import { getNotification } from './core-commands.ts'
import { SdbpError } from './errors.ts'
import { type Field, type StructValue, struct, u8 } from './fields.ts'

const HEADER_SIZE = 4
/** Error code with which a module answers GET_NOTIFICATION when nothing is pending. */
export const NOTHING_PENDING = 3

/** Module: encodes the answer to GET_NOTIFICATION; undefined bytes mean that nothing is pending. */
export function encodeNotification(bytes: Uint8Array | undefined): Uint8Array {
  const { classIdentifier, class: group, operation } = getNotification
  if (bytes === undefined) return Uint8Array.of(classIdentifier, group, ERROR_OPERATION, NOTHING_PENDING)
  return Uint8Array.of(classIdentifier, group, operation, STATUS_OK, ...bytes)
}

/** Host: decodes the module's notification bytes; undefined if nothing was pending. Throws `SdbpError` for anything else. */
export function decodeNotification(payload: Uint8Array): Uint8Array | undefined {
  const code = commandCodeOf(payload)
  if (code.classIdentifier !== getNotification.classIdentifier || code.class !== getNotification.class) {
    throw new SdbpError('class', 'the payload is not an answer to GET_NOTIFICATION')
  }
  const result = payload[HEADER_SIZE - 1]
  if (result === undefined) throw new SdbpError('truncated', 'the answer to GET_NOTIFICATION has no status')
  if (code.operation === ERROR_OPERATION && result === NOTHING_PENDING) return undefined
  if (code.operation !== getNotification.operation || result !== STATUS_OK) {
    throw new SdbpError('rejected', `GET_NOTIFICATION failed with ${result}`)
  }
  return payload.slice(HEADER_SIZE)
}

/** Most places in a mask of one byte: place 1 is bit 0. */
export const PLACES_PER_MASK = 8

type Masks<Kind extends string> = Readonly<Record<Kind, Field<number>>>

/** The notification bytes of a module: one mask for each kind of alert, in this order. */
export interface NotificationMasks<Kind extends string> extends Field<StructValue<Masks<Kind>>> {
  readonly kinds: readonly Kind[]
  /** Module: encodes these masks; kinds that are left out have no alert. */
  readonly bytes: (masks: Partial<Readonly<Record<Kind, number>>>) => Uint8Array
}

/** Declares masks of these kinds: `notificationMasks('underVoltageAlert', 'highCurrentAlert')` are two bytes. */
export function notificationMasks<Kind extends string>(...kinds: readonly Kind[]): NotificationMasks<Kind> {
  const shape = Object.fromEntries(kinds.map((kind) => [kind, u8()])) as Masks<Kind>
  return { kinds, bytes: (masks) => new Uint8Array(kinds.map((kind) => masks[kind] ?? 0)), ...struct(shape) }
}
