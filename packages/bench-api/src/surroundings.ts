import { boolean, choice, decimal, type ExtensionEndpoints, listOf, named, objectOf } from '@slotwire/contract'
import { type CheckedExtensionHandlers, extensionHandlers } from '@slotwire/service'
import {
  AMBIENT_CELSIUS,
  type BenchRail,
  COMPUTER_WATT,
  RAIL_LOAD_MILLIAMPERE,
  RAIL_OFFSET_MILLIVOLT,
  RAILS,
} from '@slotwire/twin'
import { benchRead, benchWrite, type DeviceWithBench, ROOT, success } from './bench-endpoint.ts'
import { numberSchema } from './settings-schema.ts'

const load = numberSchema(RAIL_LOAD_MILLIAMPERE)
const offset = numberSchema(RAIL_OFFSET_MILLIVOLT)
const celsius = numberSchema(AMBIENT_CELSIUS)
const watt = numberSchema(COMPUTER_WATT)

/** Supply and temperature in replies. */
export const surroundingsSchema = named(
  'Surroundings',
  objectOf({
    ambient_celsius: celsius,
    computer_watt: watt,
    rails: listOf(
      named(
        'Rail',
        objectOf({
          rail: choice(RAILS),
          on: boolean(),
          milliampere: decimal({ unit: 'mA', description: 'total current; 0 while the rail is off' }),
          load_milliampere: load,
          offset_millivolt: offset,
        }),
      ),
    ),
  }),
)

export const surroundingsEndpoints = {
  getSurroundings: {
    ...benchRead,
    path: `${ROOT}/surroundings`,
    reply: surroundingsSchema,
    summary: 'Shows ambient temperature, computer load and rails',
  },
  setAmbient: {
    ...benchWrite,
    path: `${ROOT}/ambient`,
    body: objectOf({ celsius }),
    summary: 'Sets the ambient temperature',
    example: { celsius: 40 },
  },
  setComputer: {
    ...benchWrite,
    path: `${ROOT}/computer`,
    body: objectOf({ watt }),
    summary: "Sets the heat output of the device's computer",
    example: { watt: 5 },
  },
  setRail: {
    ...benchWrite,
    path: `${ROOT}/rail`,
    body: objectOf(
      { rail: choice(RAILS), load_milliampere: load, offset_millivolt: offset },
      {
        optional: ['load_milliampere', 'offset_millivolt'],
        rules: { anyOf: [{ required: ['load_milliampere'] }, { required: ['offset_millivolt'] }] },
      },
    ),
    summary: 'Sets the extra load or the voltage offset of a rail; omitted fields stay unchanged',
    example: { rail: '12v', load_milliampere: 500 },
  },
  restart: { ...benchWrite, path: `${ROOT}/restart`, summary: 'Interrupts the supply of the whole device for a moment' },
} as const satisfies ExtensionEndpoints

export function surroundingsHandlers(device: DeviceWithBench): CheckedExtensionHandlers {
  return extensionHandlers(surroundingsEndpoints, {
    getSurroundings: () => shownSurroundings(device),
    setAmbient: ({ body }) => {
      device.bench.ambientCelsius = body.celsius
      return success
    },
    setComputer: ({ body }) => {
      device.bench.computerWatt = body.watt
      return success
    },
    setRail: ({ body }) => {
      const rail = device.bench.rail(body.rail)
      if (body.load_milliampere !== undefined) rail.loadMilliampere = body.load_milliampere
      if (body.offset_millivolt !== undefined) rail.offsetMillivolt = body.offset_millivolt
      return success
    },
    restart: () => {
      device.bench.restart()
      return success
    },
  })
}

export function shownSurroundings(device: DeviceWithBench) {
  const { bench } = device
  return {
    ambient_celsius: bench.ambientCelsius,
    computer_watt: bench.computerWatt,
    rails: RAILS.map((rail) => shownRail(bench.rail(rail))),
  }
}

function shownRail({ rail, isOn, milliampere, loadMilliampere, offsetMillivolt }: BenchRail) {
  return { rail, on: isOn, milliampere, load_milliampere: loadMilliampere, offset_millivolt: offsetMillivolt }
}
