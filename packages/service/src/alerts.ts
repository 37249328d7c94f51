import type { Endpoint, ReplyOf } from '@slotwire/contract'
import type { ReadNotification, SlotApi } from '@slotwire/driver'
import { type NotificationMasks, PLACES_PER_MASK } from '@slotwire/sdbp'

/** A reply with an undo for a failed delivery. */
export class UndoableReply<Reply> {
  constructor(
    readonly reply: Reply,
    readonly undo: () => void,
  ) {}
}

/** `under_voltage_alert` in a reply is `underVoltageAlert` on the wire. */
type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name

/** The kinds of alerts in the reply of an endpoint; none if it has other fields than flags. */
export type AlertKindOf<E extends Endpoint> =
  ReplyOf<E> extends Readonly<Record<string, boolean>> ? CamelCase<keyof ReplyOf<E> & string> : never

/**
 * Answers an endpoint of effect `deliver`: returns the alerts pending for the place in its path, and clears them once delivered. A read-only
 * caller sees them without clearing. The masks have one kind of alert for each flag of the reply.
 */
export interface AlertsHandler<Kind extends string = string> {
  readonly kind: 'alerts'
  readonly masks: NotificationMasks<Kind>
  /** Kinds that make a notification a warning in the log. */
  readonly warns: readonly Kind[]
}

/** The alerts of one place in a notification. */
export interface ModuleAlert {
  /** What places are called in the path: `pin`. */
  readonly name: string
  readonly place: number
  /** As named in the reply. */
  readonly alerts: readonly string[]
}

type Flags = Readonly<Record<string, boolean>>
type AlertsRequest = { readonly parameters: Readonly<Record<string, number>> }
type AlertsContext = { readonly slot: Pick<SlotApi, 'notifications'>; readonly readOnly: boolean }

export interface ServedAlerts {
  readonly handler: { readonly kind: 'direct'; run(request: AlertsRequest, context: AlertsContext): Flags | UndoableReply<Flags> }
  /** Log level and fields of a notification: the places with alerts, named as in the reply. */
  readonly readNotification: ReadNotification
  /** The alerts in the bytes of a notification, by place. */
  readonly readAlerts: (bytes: Uint8Array) => readonly ModuleAlert[]
}

/** Handler and log fields for the masks of an endpoint. Throws `RangeError` if a mask has too few bits for the places. */
export function servedAlerts(endpoint: Endpoint, { masks, warns }: AlertsHandler): ServedAlerts {
  const { name, places } = placesOf(endpoint)
  const fields = 'properties' in endpoint.reply ? Object.keys(endpoint.reply.properties) : []
  const kinds = fields.map((field) => {
    const kind = field.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
    return { field, index: masks.kinds.indexOf(kind), isWarning: warns.includes(kind) }
  })
  /** `bytes` of one place. A missing byte means no alert of that kind. */
  const flagsOf = (bytes: Uint8Array): Flags =>
    Object.fromEntries(kinds.map(({ field, index }) => [field, Boolean(bytes[index])]))
  /** Shared reply for polls without an alert, which are the most. */
  const noAlerts = flagsOf(new Uint8Array())
  const warningFields = new Set(kinds.filter(({ isWarning }) => isWarning).map(({ field }) => field))
  const readAlerts = (bytes: Uint8Array): readonly ModuleAlert[] => {
    const raisedAt: ModuleAlert[] = []
    for (const place of places) {
      // Bit 0 of each byte belongs to place 1.
      const raised = kinds.filter(({ index }) => (((bytes[index] ?? 0) >> (place - 1)) & 1) === 1)
      if (raised.length > 0) raisedAt.push({ name, place, alerts: raised.map(({ field }) => field) })
    }
    return raisedAt
  }

  return {
    handler: {
      kind: 'direct',
      run: ({ parameters }, { slot: { notifications }, readOnly }) => {
        const place = parameters[name] as number
        if (!notifications.has(place)) return noAlerts
        if (readOnly) return flagsOf(notifications.peek(place))
        const { epoch } = notifications
        const taken = notifications.take(place)
        return new UndoableReply(flagsOf(taken), () => {
          // A reset or an unplugged module has discarded these alerts.
          if (notifications.epoch === epoch) notifications.merge(taken)
        })
      },
    },
    readAlerts,
    readNotification: (bytes) => {
      const raised = readAlerts(bytes)
      return {
        level: raised.some(({ alerts }) => alerts.some((field) => warningFields.has(field))) ? 'warn' : 'info',
        fields: { [`${name}s`]: raised.map(({ place, alerts }) => ({ [name]: place, alerts })) },
      }
    },
  }
}

/** Name and range of the place in the path: `pin`, 1 to 6. */
function placesOf({ path, parameters = {} }: Endpoint): { readonly name: string; readonly places: readonly number[] } {
  const [parameter, ...others] = Object.entries(parameters)
  if (parameter === undefined || others.length > 0) throw new RangeError(`${path}: alerts need one path parameter, the place`)
  const [name, { min, max }] = parameter
  if (min < 1 || max > PLACES_PER_MASK) {
    throw new RangeError(`${path}: ${name} is ${min}…${max}, but a mask has bits for 1…${PLACES_PER_MASK}`)
  }
  return { name, places: Array.from({ length: max - min + 1 }, (_, index) => min + index) }
}
