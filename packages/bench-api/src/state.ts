import {
  anyObject,
  boolean,
  choice,
  decimal,
  type ExtensionEndpoints,
  integer,
  listOf,
  named,
  objectOf,
  text,
} from '@slotwire/contract'
import { RAILS, SLOT_COUNT } from '@slotwire/core'
import type { ModuleCatalog } from '@slotwire/scenario'
import { type ExtensionHandlers, extensionHandlers } from '@slotwire/service'
import {
  type ActiveFault,
  AMBIENT_CELSIUS,
  type Bench,
  type BenchPin,
  type BenchRail,
  type BenchSlot,
  COMPUTER_WATT,
  type Connection,
  inSnakeNames,
  type ModuleMode,
  maxPins,
  BENCH_ROOT as ROOT,
  railFields,
  snakeName,
  typesIn,
  withSnakeNames,
} from '@slotwire/twin'
import { type BenchTime, benchRead, type DeviceWithBench, rounded } from './bench-endpoint.ts'
import { type ScenarioRunner, scenarioSchema } from './scenario.ts'
import { shownTime, timeSchema } from './time.ts'
import { shownTrace, type TraceRecorder, traceSchema } from './trace.ts'

const MILLI = 1000
const MODES = ['off', 'suspend', 'run', 'bootloader'] as const satisfies readonly ModuleMode[]

const measuredFields = {
  volts: decimal({ unit: 'V' }),
  milliampere: decimal({ unit: 'mA', description: 'current that the module delivers; negative while it sinks' }),
}

const connectionSchema = named(
  'Connection',
  objectOf({
    name: text({ description: 'name of the connection: the one that it was given, or c1, c2, …' }),
    pins: listOf(text(), { description: 'slot/pin, as in `3/1`; one of an element, two of a wire' }),
    kind: text({ description: 'kind of the element, or `wire`' }),
    description: text(),
    settings: named('ConnectionSettings', anyObject({ description: 'current settings' })),
  }),
)

const slotSchema = named(
  'Slot',
  objectOf(
    {
      slot: integer(),
      module: text({ description: 'module type: the name of its service; missing while the slot is empty' }),
      mode: choice(MODES, { description: 'mode of the module; missing while the slot is empty' }),
      pins: listOf(named('SlotPin', objectOf({ pin: integer(), ...measuredFields })), {
        description: 'pins of the module, as measured now',
      }),
      actions: listOf(text(), { description: 'buttons of the module' }),
      defects: listOf(text(), { description: 'possible defects' }),
      observations: anyObject({ description: 'what an observer sees and hears at the module' }),
      settings: anyObject({ description: 'current settings; missing if the module has none' }),
    },
    { optional: ['module', 'mode', 'settings'] },
  ),
)

const surroundingsSchema = named(
  'Surroundings',
  objectOf({
    ambient_celsius: AMBIENT_CELSIUS,
    computer_watt: COMPUTER_WATT,
    rails: listOf(
      named(
        'Rail',
        objectOf({
          rail: choice(RAILS),
          on: boolean(),
          milliampere: decimal({ unit: 'mA', description: 'total current; 0 while the rail is off' }),
          ...railFields,
        }),
      ),
    ),
  }),
)

const usbSchema = named(
  'Usb',
  objectOf({
    host_connected: boolean({ description: 'whether a USB host is connected to the computer; its bootloader waits for it' }),
    devices: listOf(
      named(
        'PluggedUsbDevice',
        objectOf({
          slot: integer({ description: 'slot of the USB port' }),
          manufacturer: text(),
          product: text(),
          serial_code: text(),
        }),
      ),
    ),
  }),
)

const faultSchema = named(
  'Fault',
  objectOf(
    {
      name: text({ description: 'name of the fault: the one that it was given, or f1, f2, …' }),
      slot: integer(),
      kind: text({ description: 'kind of the fault, or name of a defect' }),
      description: text(),
      settings: anyObject(),
      since_ms: decimal({ unit: 'ms', description: 'twin time of its beginning' }),
      until_ms: decimal({ unit: 'ms', description: 'twin time of its end; missing if only clearing ends it' }),
    },
    { optional: ['until_ms'] },
  ),
)

/** What the bench shows. */
export const stateEndpoints = (catalog: ModuleCatalog) =>
  ({
    getBench: {
      ...benchRead,
      path: ROOT,
      reply: objectOf({
        time: timeSchema,
        surroundings: surroundingsSchema,
        slots: listOf(slotSchema),
        usb: usbSchema,
        connections: listOf(connectionSchema),
        trace: traceSchema,
        faults: listOf(faultSchema),
        scenario: scenarioSchema,
      }),
      summary: 'Shows wiring, slots, surroundings, faults and time at a glance',
    },
    getWiring: {
      ...benchRead,
      path: `${ROOT}/wiring`,
      reply: objectOf({ connections: listOf(connectionSchema) }),
      summary: 'Lists all connections',
    },
    getPin: {
      ...benchRead,
      path: `${ROOT}/pin/{slot}/{pin}`,
      parameters: {
        slot: { description: 'number of a slot', min: 0, max: SLOT_COUNT - 1, example: 3 },
        pin: { description: 'number of a pin', min: 1, max: maxPins(Object.values(typesIn(catalog))), example: 1 },
      },
      reply: named(
        'PinMeasurement',
        objectOf({ slot: integer(), pin: integer(), ...measuredFields, connections: listOf(connectionSchema) }),
      ),
      summary: 'Measures a pin, and lists its connections',
    },
    getSlots: {
      ...benchRead,
      path: `${ROOT}/slots`,
      reply: objectOf({ slots: listOf(slotSchema) }),
      summary: 'Lists the slots with their modules, actions, defects and observations',
    },
    getSurroundings: {
      ...benchRead,
      path: `${ROOT}/surroundings`,
      reply: surroundingsSchema,
      summary: 'Shows ambient temperature, computer load and rails',
    },
    getRig: {
      ...benchRead,
      path: `${ROOT}/rig`,
      reply: objectOf({
        text: text({ description: 'modules, wiring, supply and USB devices as YAML, for `slotwire serve --rig`' }),
      }),
      summary: 'Shows what the bench has built, as a file to start with',
    },
    getUsb: { ...benchRead, path: `${ROOT}/usb`, reply: usbSchema, summary: 'Lists the devices on the USB ports' },
    getFaults: {
      ...benchRead,
      path: `${ROOT}/faults`,
      reply: objectOf({ faults: listOf(faultSchema) }),
      summary: 'Lists active faults, in the order of injection',
    },
  }) as const satisfies ExtensionEndpoints

export function stateHandlers(
  { bench }: DeviceWithBench,
  time: BenchTime,
  runner: ScenarioRunner,
  recorder: TraceRecorder,
  catalog: ModuleCatalog,
): ExtensionHandlers {
  const connections = (of: readonly Connection[] = bench.connections) => of.map((each) => shownConnection(bench, each))
  const faults = () => bench.faults.map((each) => shownFault(bench, each))
  return extensionHandlers(stateEndpoints(catalog), {
    getBench: () => ({
      time: shownTime(time),
      surroundings: shownSurroundings(bench),
      slots: shownSlots(bench, catalog),
      usb: shownUsb(bench),
      connections: connections(),
      trace: shownTrace(recorder),
      faults: faults(),
      scenario: runner.shown,
    }),
    getWiring: () => ({ connections: connections() }),
    getPin: ({ parameters: { slot, pin } }) => {
      const benchPin = bench.pin(slot, pin)
      return { slot, pin, ...measured(benchPin), connections: connections(benchPin.connections) }
    },
    getSlots: () => ({ slots: shownSlots(bench, catalog) }),
    getSurroundings: () => shownSurroundings(bench),
    getRig: () => ({ text: rigText(bench) }),
    getUsb: () => shownUsb(bench),
    getFaults: () => ({ faults: faults() }),
  })
}

/** Voltage and current of a pin now. */
function measured({ volts, amps }: Pick<BenchPin, 'volts' | 'amps'>) {
  return { volts: rounded(volts), milliampere: rounded(amps * MILLI) }
}

function shownKind({ kind, description, settings }: Pick<Connection, 'kind' | 'description' | 'settings'>) {
  return { kind: snakeName(kind), description: inSnakeNames(description), settings: withSnakeNames(settings) as object }
}

function shownConnection(bench: Bench, connection: Connection) {
  return {
    name: bench.nameOf(connection.id),
    pins: connection.terminals,
    ...shownKind(connection),
  }
}

function shownSlots(bench: Bench, catalog: ModuleCatalog) {
  return bench.slots.map((place) => {
    const count = catalog[place.moduleType ?? '']?.firmware.pins ?? 0
    const pins = Array.from({ length: count }, (_, index) => index + 1)
    return { ...shownSlot(place), pins: pins.map((pin) => ({ pin, ...measured(bench.pin(place.slot, pin)) })) }
  })
}

function shownSlot(place: BenchSlot) {
  const { slot, moduleType, mode, actions, defects } = place
  const settings = withSnakeNames(place.settings) as object
  return {
    slot,
    ...(moduleType === undefined ? {} : { module: moduleType }),
    ...(mode === undefined ? {} : { mode }),
    actions,
    defects,
    observations: withSnakeNames(place.observe()) as object,
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
  }
}

function shownSurroundings(bench: Bench) {
  const { ambientCelsius, computerWatt } = bench
  return { ambient_celsius: ambientCelsius, computer_watt: computerWatt, rails: RAILS.map((rail) => shownRail(bench.rail(rail))) }
}

function shownRail({ rail, isOn, milliampere, loadMilliampere, offsetMillivolt }: BenchRail) {
  return { rail, on: isOn, milliampere, load_milliampere: loadMilliampere, offset_millivolt: offsetMillivolt }
}

function shownUsb({ usb: { hostConnected, devices } }: Bench) {
  return {
    host_connected: hostConnected,
    devices: devices.map(({ slot, device: { manufacturer, product, serialCode } }) => {
      return { slot, manufacturer, product, serial_code: serialCode }
    }),
  }
}

function shownFault(bench: Bench, { id, slot, sinceMs, untilMs, ...fault }: ActiveFault) {
  return {
    name: bench.nameOf(id),
    slot,
    ...shownKind(fault),
    since_ms: rounded(sinceMs),
    ...(untilMs === undefined ? {} : { until_ms: rounded(untilMs) }),
  }
}

/** What the bench has built, as a rig: modules, connections with their names and settings, supply and USB devices. Without faults. */
export function rigText(bench: Bench): string {
  const { slots, connections } = bench
  const modules = slots.flatMap(({ slot, moduleType }) => (moduleType === undefined ? [] : [`${slot}: ${moduleType}`]))
  const { ambient_celsius: celsius, computer_watt: watt, rails } = shownSurroundings(bench)
  const { host_connected: connected, devices } = shownUsb(bench)
  const settings = slots.map(shownSlot).filter((slot) => slot.settings !== undefined)
  const actions: readonly (readonly [name: string, fields: object])[] = [
    ['ambient', { celsius }],
    ['computer', { watt }],
    ...rails.map(({ on: _, milliampere: __, ...set }) => ['rail', set] as const),
    ...settings.map((slot) => ['set', { slot: slot.slot, ...slot.settings }] as const),
    ['usb_host', { connected }],
    ...devices.map((device) => ['usb_attach', device] as const),
    ...connections.map((connection) => connecting(connection, bench.nameOf(connection.id))),
  ]
  const lines = actions.map(([name, fields]) => `  - ${name}: ${JSON.stringify(fields)}`)
  return ['device: empty', `modules: { ${modules.join(', ')} }`, 'steps:', ...lines, ''].join('\n')
}

function connecting({ kind, terminals, settings }: Connection, as: string): readonly [name: string, fields: object] {
  if (kind === 'wire') return ['wire', { pins: terminals, as }]
  const [pin, ...others] = terminals
  const contact = kind === 'relay' ? others.splice(-2) : undefined
  const [other] = others
  const ends = { ...(other === undefined ? {} : { other }), ...(contact === undefined ? {} : { contact }) }
  return ['connect', { pin, to: { [snakeName(kind)]: withSnakeNames(settings) }, ...ends, as }]
}
