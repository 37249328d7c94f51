import { type Endpoint, integer, named, type ObjectSchema, objectOf } from '@slotwire/contract'
import { coreErrors } from '@slotwire/core'
import type { ModuleCatalog } from '@slotwire/scenario'
import type { CheckedExtensionHandlers } from '@slotwire/service'
import {
  type BenchPin,
  checkEnds,
  type ElementKind,
  elementFrom,
  elementKinds,
  type PinEnds,
  SLOT_COUNT,
  snakeName,
} from '@slotwire/twin'
import { atPin, benchWrite, type DeviceWithBench, pinBounds, ROOT, success } from './bench-endpoint.ts'
import { benchErrors } from './errors.ts'
import { withCodeNames } from './json-names.ts'
import { refusedAsField, refusedAsState } from './refusals.ts'
import { connectedSchema } from './replies.ts'
import { laterSettings, settingsSchema } from './settings-schema.ts'
import { occupiedPin } from './slots.ts'
import { numberOf } from './wiring.ts'

type ElementName = keyof typeof elementKinds

/** A working body for each kind, for docs and the interactive API reference. */
const examples: Readonly<Record<ElementName, Readonly<Record<string, unknown>>>> = {
  button: { volts: 5, bounces: 6, bounce_ms: 3 },
  capacitor: { farad: 0.000001 },
  coil: { ohms: 120, henry: 0.2 },
  currentSource: { milliampere: 12 },
  diode: { volts: 5 },
  encoder: { rpm: 300, other: { slot: 3, pin: 4 } },
  led: { forward_volts: 2.1 },
  motor: { ohms: 60, start_up_multiple: 4 },
  noise: { frequency_hz: 1000, low_volts: 0, high_volts: 3.3, ohms: 10_000 },
  ntc: { celsius: 60 },
  open: {},
  potentiometer: { ohms: 10_000, high_volts: 5, position: 0.25 },
  pt100: { celsius: 60 },
  recordedWave: { csv: 'seconds,volts\n0,0\n0.5,5\n1,0\n' },
  relay: { ohms: 120, contact: { from: { slot: 3, pin: 5 }, to: { slot: 3, pin: 6 } } },
  resistor: { ohms: 4700 },
  short: {},
  sineWave: { frequency_hz: 50, amplitude_volts: 2, offset_volts: 2.5, ohms: 100 },
  source: { volts: 24, ohms: 10_000 },
  squareWave: { frequency_hz: 100, low_volts: 0, high_volts: 5, duty: 0.25 },
  triangleWave: { frequency_hz: 10, low_volts: 0, high_volts: 5 },
  zener: { zener_volts: 5.1, reversed: true },
}

const names = Object.keys(elementKinds) as ElementName[]

/** Name of the endpoint that connects a kind of element: `connectSquareWave`. */
const endpointName = (name: ElementName): string => `connect${name.slice(0, 1).toUpperCase()}${name.slice(1)}`

function elementEndpoint(name: ElementName, catalog: ModuleCatalog): Endpoint {
  const { kind, summary, fields } = elementKinds[name]
  const takesSome = Object.keys(fields).length > 0
  const description = laterSettings(fields)
  return {
    ...benchWrite,
    path: `${ROOT}/pin/{slot}/{pin}/${snakeName(kind)}`,
    parameters: atPin(catalog),
    ...(takesSome ? { body: bodySchema(elementKinds[name], catalog), example: examples[name] } : {}),
    reply: connectedSchema,
    errors: [benchErrors.slotEmpty, benchErrors.refused],
    summary: `Connects ${summary}`,
    ...(description === undefined ? {} : { description }),
  }
}

type Terminals = Pick<ElementKind<object>, 'fields' | 'between' | 'hasContact'>

/** Settings of an element, and the other pins that it takes. */
function bodySchema({ fields, between, hasContact }: Terminals, catalog: ModuleCatalog): ObjectSchema {
  if (hasContact) return settingsSchema(fields, { contact: contactPins(catalog) }, ['contact'])
  if (between === undefined) return settingsSchema(fields)
  const schema = settingsSchema(fields, { other: otherPin(catalog) }, between === 'outputs' ? ['other'] : [])
  if (between === 'source' || between === 'outputs') return schema
  // The voltage of its other end excludes another pin there.
  return { ...schema, not: { anyOf: [...(schema.not?.anyOf ?? []), { required: ['volts', 'other'] }] } }
}

const pinFields = (catalog: ModuleCatalog) => ({
  slot: integer({ min: 0, max: SLOT_COUNT - 1, description: 'slot of the other pin' }),
  pin: integer({ ...pinBounds(catalog), description: 'the other pin' }),
})

/** The pin at the other end of an element between two pins. */
const otherPin = (catalog: ModuleCatalog) =>
  named(
    'OtherPin',
    objectOf(pinFields(catalog), {
      description: 'pin at its other end, in place of ground or volts; the second output of an encoder',
    }),
  )

/** The pins that the contact of a relay connects. */
const contactPins = (catalog: ModuleCatalog) =>
  named(
    'ContactPins',
    objectOf(
      { from: named('ContactPin', objectOf(pinFields(catalog))), to: named('ContactPin', objectOf(pinFields(catalog))) },
      { description: 'the two pins that the contact connects' },
    ),
  )

interface PinNumbers {
  readonly slot: number
  readonly pin: number
}

interface ElementBody {
  readonly other?: PinNumbers
  readonly contact?: { readonly from: PinNumbers; readonly to: PinNumbers }
}

function nameOf({ slot, pin }: PinNumbers): string {
  return `${slot}/${pin}`
}

/** One endpoint per kind of element. */
export function elementEndpoints(catalog: ModuleCatalog): Readonly<Record<string, Endpoint>> {
  return Object.fromEntries(names.map((name) => [endpointName(name), elementEndpoint(name, catalog)]))
}

export function elementHandlers(device: DeviceWithBench): CheckedExtensionHandlers {
  return Object.fromEntries(
    names.map((name) => [
      endpointName(name),
      ({ body, parameters: { slot = 0, pin = 0 } }) => {
        const { other, contact, ...settings } = body as ElementBody
        const element = refusedAsField(() => elementFrom(elementKinds[name].kind, withCodeNames(settings)))
        if (other !== undefined && nameOf(other) === `${slot}/${pin}`)
          throw coreErrors.invalidField({ reason: `other is pin ${slot}/${pin} itself: name another pin` })
        if (contact !== undefined && nameOf(contact.from) === nameOf(contact.to))
          throw coreErrors.invalidField({ reason: `contact is pin ${nameOf(contact.to)} twice: name two pins` })
        refusedAsField(() =>
          checkEnds(element, device.clock.now(), {
            other: other && nameOf(other),
            contact: contact && [nameOf(contact.from), nameOf(contact.to)],
          }),
        )
        const at = (place: PinNumbers): BenchPin => occupiedPin(device, place)
        const end: PinEnds = {
          ...(other === undefined ? {} : { other: at(other) }),
          ...(contact === undefined ? {} : { contact: [at(contact.from), at(contact.to)] }),
        }
        const connection = refusedAsState(() => at({ slot, pin }).connect(element, end))
        return { ...success, connection: numberOf(connection) }
      },
    ]),
  )
}
