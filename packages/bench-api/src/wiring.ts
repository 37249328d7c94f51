import { anyObject, type ExtensionEndpoints, integer, listOf, named, objectOf, text } from '@slotwire/contract'
import { coreErrors } from '@slotwire/core'
import type { ModuleCatalog } from '@slotwire/scenario'
import { type CheckedExtensionHandlers, extensionHandlers } from '@slotwire/service'
import { type Connection, elementKinds, inSnakeNames, SLOT_COUNT, snakeName, withSnakeNames } from '@slotwire/twin'
import { atNumber, atPin, benchRead, benchWrite, type DeviceWithBench, pinBounds, ROOT, success } from './bench-endpoint.ts'
import { benchErrors } from './errors.ts'
import { withCodeNames } from './json-names.ts'
import { refusedAsField, refusedAsState } from './refusals.ts'
import { connectedSchema, doneSchema } from './replies.ts'
import { anySettingsSchema } from './settings-schema.ts'
import { measured, measuredFields, occupiedPin } from './slots.ts'

const PIN = `${ROOT}/pin/{slot}/{pin}`
const CONNECTION = `${ROOT}/connection/{number}`

/** A press for some time cannot begin with a release. */
const RELEASED = { required: ['press_for_ms', 'pressed'], properties: { pressed: { const: false } } }

/** A connection in replies. */
export const connectionSchema = named(
  'Connection',
  objectOf({
    connection: integer({ description: 'number of the connection' }),
    pins: listOf(text(), { description: 'slot/pin, as in `3/1`; one of an element, two of a wire' }),
    kind: text({ description: 'kind as in the path of its endpoint' }),
    description: text(),
    settings: named('ConnectionSettings', anyObject({ description: 'current settings' })),
  }),
)

export const wiringEndpoints = (catalog: ModuleCatalog) =>
  ({
    getWiring: {
      ...benchRead,
      path: `${ROOT}/wiring`,
      reply: objectOf({ connections: listOf(connectionSchema) }),
      summary: 'Lists all connections',
    },
    getPin: {
      ...benchRead,
      path: PIN,
      parameters: atPin(catalog),
      reply: named(
        'PinMeasurement',
        objectOf({
          slot: integer(),
          pin: integer(),
          ...measuredFields,
          connections: listOf(connectionSchema),
        }),
      ),
      summary: 'Measures a pin, and lists its connections',
    },
    wire: {
      ...benchWrite,
      path: `${PIN}/wire`,
      parameters: atPin(catalog),
      body: objectOf({
        slot: integer({ min: 0, max: SLOT_COUNT - 1, description: 'slot of the other pin' }),
        pin: integer({ ...pinBounds(catalog), description: 'the other pin' }),
      }),
      reply: connectedSchema,
      errors: [benchErrors.slotEmpty, benchErrors.refused],
      summary: 'Wires two pins together',
      example: { slot: 5, pin: 6 },
    },
    disconnectPin: {
      ...benchWrite,
      path: `${PIN}/disconnect`,
      parameters: atPin(catalog),
      reply: doneSchema({ disconnected: integer({ description: 'number of removed connections' }) }),
      summary: 'Removes all connections of a pin, wires included',
    },
    setConnection: {
      ...benchWrite,
      path: `${CONNECTION}/set`,
      parameters: atNumber('connection', 2),
      body: anySettingsSchema(Object.values(elementKinds), undefined, [RELEASED]),
      errors: [benchErrors.noSuchConnection],
      summary: 'Changes settings of a connected element at once',
      description: 'Takes the settings of its kind, as when it is connected; omitted settings stay unchanged.',
      example: { ohms: 4700 },
    },
    disconnect: {
      ...benchWrite,
      path: `${CONNECTION}/disconnect`,
      parameters: atNumber('connection', 2),
      errors: [benchErrors.noSuchConnection],
      summary: 'Removes one connection',
    },
  }) as const satisfies ExtensionEndpoints

export function wiringHandlers(device: DeviceWithBench, catalog: ModuleCatalog): CheckedExtensionHandlers {
  const connectionOf = (number: number): Connection => {
    const found = device.bench.connections.find(({ id }) => id === idOf(number))
    if (found === undefined) throw benchErrors.noSuchConnection({ number })
    return found
  }
  return extensionHandlers(wiringEndpoints(catalog), {
    getWiring: () => ({ connections: device.bench.connections.map(shownConnection) }),
    getPin: ({ parameters: { slot, pin } }) => {
      const found = device.bench.pin(slot, pin)
      return { slot, pin, ...measured(found), connections: found.connections.map(shownConnection) }
    },
    wire: ({ body, parameters: { slot, pin } }) => {
      if (body.slot === slot && body.pin === pin)
        throw coreErrors.invalidField({ reason: `slot and pin are ${slot} and ${pin} themselves: name another pin` })
      const connection = refusedAsState(() => occupiedPin(device, { slot, pin }).wireTo(occupiedPin(device, body)))
      return { ...success, connection: numberOf(connection) }
    },
    disconnectPin: ({ parameters: { slot, pin } }) => ({ ...success, disconnected: device.bench.pin(slot, pin).disconnect() }),
    setConnection: ({ body, parameters: { number } }) => {
      const connection = connectionOf(number)
      refusedAsField(() => connection.set(withCodeNames(body)))
      return success
    },
    disconnect: ({ parameters: { number } }) => {
      connectionOf(number).disconnect()
      return success
    },
  })
}

const idOf = (number: number): string => `c${number}`

/** The number in a connection's id. */
export function numberOf({ id }: Pick<Connection, 'id'>): number {
  return Number(id.slice(1))
}

export function shownConnection(connection: Connection) {
  const { terminals, kind, description, settings } = connection
  return {
    connection: numberOf(connection),
    pins: terminals,
    kind: snakeName(kind),
    description: inSnakeNames(description),
    settings: withSnakeNames(settings) as object,
  }
}
