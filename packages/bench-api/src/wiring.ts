import { anyObject, decimal, type ExtensionEndpoints, integer, listOf, objectOf, text } from '@slotwire/contract'
import { coreErrors } from '@slotwire/core'
import type { ModuleCatalog } from '@slotwire/scenario'
import { type CheckedExtensionHandlers, extensionHandlers } from '@slotwire/service'
import { type Connection, elementKinds, inSnakeNames, SLOT_COUNT, snakeName, withSnakeNames } from '@slotwire/twin'
import { atNumber, atPin, type BenchedDevice, does, looks, pinBounds, ROOT, success } from './bench-endpoint.ts'
import { benchErrors } from './errors.ts'
import { rounded } from './figures.ts'
import { withCodeNames } from './json-names.ts'
import { refusedAsField, refusedAsState } from './refusals.ts'
import { connectedSchema, doneSchema } from './replies.ts'
import { anySettingsSchema } from './settings-schema.ts'

const PIN = `${ROOT}/pin/{slot}/{pin}`
const CONNECTION = `${ROOT}/connection/{number}`

/** A connection as the bench shows it. */
export const connectionSchema = objectOf({
  connection: integer({ description: 'its number' }),
  pins: listOf(text(), { description: 'as in `3/1`: slot and pin; one of an element, two of a wire' }),
  kind: text({ description: 'as in the path that it was connected by' }),
  description: text(),
  settings: anyObject({ description: 'as they are now' }),
})

export const wiringEndpoints = (catalog: ModuleCatalog) =>
  ({
    getWiring: {
      ...looks,
      path: `${ROOT}/wiring`,
      reply: objectOf({ connections: listOf(connectionSchema) }),
      summary: 'Lists what is connected',
    },
    getPin: {
      ...looks,
      path: PIN,
      parameters: atPin(catalog),
      reply: objectOf({
        slot: integer(),
        pin: integer(),
        volts: decimal({ unit: 'V' }),
        milliampere: decimal({ unit: 'mA', description: 'what the module delivers; negative while it sinks' }),
        connections: listOf(connectionSchema),
      }),
      summary: 'Measures a pin, and lists what hangs on it',
    },
    wire: {
      ...does,
      path: `${PIN}/wire`,
      parameters: atPin(catalog),
      body: objectOf({
        slot: integer({ min: 0, max: SLOT_COUNT - 1, description: 'slot of the other pin' }),
        pin: integer({ ...pinBounds(catalog), description: 'the other pin' }),
      }),
      reply: connectedSchema,
      errors: [benchErrors.refused],
      summary: 'Wires two pins together',
      example: { slot: 5, pin: 6 },
    },
    disconnectPin: {
      ...does,
      path: `${PIN}/disconnect`,
      parameters: atPin(catalog),
      reply: doneSchema({ disconnected: integer({ description: 'how many connections that were' }) }),
      summary: 'Takes away all that hangs on a pin, wires included',
    },
    setConnection: {
      ...does,
      path: `${CONNECTION}/set`,
      parameters: atNumber('connection', 2),
      body: anySettingsSchema(Object.values(elementKinds)),
      errors: [benchErrors.noSuchConnection],
      summary: 'Changes settings of something that is connected, at once',
      description: 'Takes the settings of its kind, as they are when it is connected; what is left out stays as it is.',
      example: { ohms: 4700 },
    },
    disconnect: {
      ...does,
      path: `${CONNECTION}/disconnect`,
      parameters: atNumber('connection', 2),
      errors: [benchErrors.noSuchConnection],
      summary: 'Takes one connection away',
    },
  }) as const satisfies ExtensionEndpoints

export function wiringHandlers(device: BenchedDevice, catalog: ModuleCatalog): CheckedExtensionHandlers {
  const connectionOf = (number: number): Connection => {
    const found = device.bench.connections.find(({ id }) => id === idOf(number))
    if (found === undefined) throw benchErrors.noSuchConnection({ number })
    return found
  }
  return extensionHandlers(wiringEndpoints(catalog), {
    getWiring: () => ({ connections: device.bench.connections.map(shownConnection) }),
    getPin: ({ parameters: { slot, pin } }) => {
      const { volts, amps, connections } = device.bench.pin(slot, pin)
      return {
        slot,
        pin,
        volts: rounded(volts),
        milliampere: rounded(amps * MILLI),
        connections: connections.map(shownConnection),
      }
    },
    wire: ({ body, parameters: { slot, pin } }) => {
      const { bench } = device
      if (body.slot === slot && body.pin === pin)
        throw coreErrors.invalidField({ reason: `slot and pin are ${slot} and ${pin} themselves: name another pin` })
      const connection = refusedAsState(() => bench.pin(slot, pin).wireTo(bench.pin(body.slot, body.pin)))
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

const MILLI = 1000
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
