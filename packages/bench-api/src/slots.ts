import {
  anyObject,
  choice,
  decimal,
  type ExtensionEndpoints,
  integer,
  listOf,
  named,
  notValue,
  objectOf,
  text,
} from '@slotwire/contract'
import { coreErrors, LinkError } from '@slotwire/core'
import type { ModuleCatalog } from '@slotwire/scenario'
import { type CheckedExtensionHandlers, extensionHandlers } from '@slotwire/service'
import { type BenchPin, type BenchSlot, type ModuleMode, withSnakeNames } from '@slotwire/twin'
import { atSlot, benchRead, benchWrite, type DeviceWithBench, ROOT, success } from './bench-endpoint.ts'
import { benchErrors } from './errors.ts'
import { forMs } from './faults.ts'
import { rounded } from './figures.ts'
import { refusedAsField, refusedAsState } from './refusals.ts'
import { injectedSchema } from './replies.ts'

const SLOT = `${ROOT}/slot/{slot}`
const MILLI = 1000
const MODES = ['off', 'suspend', 'run', 'bootloader'] as const satisfies readonly ModuleMode[]

/** Voltage and current of a pin in replies. */
export const measuredFields = {
  volts: decimal({ unit: 'V' }),
  milliampere: decimal({ unit: 'mA', description: 'current that the module delivers; negative while it sinks' }),
}

/** A slot in replies. */
export const slotSchema = named(
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

/** One of these names; any text if the list is empty. */
const nameOf = (names: readonly string[], description: string) =>
  names.length === 0 ? text({ description }) : choice([...new Set(names)], { description })

export const slotEndpoints = (catalog: ModuleCatalog) => {
  const types = Object.values(catalog).map(({ firmware }) => firmware)
  const module = nameOf(Object.keys(catalog), 'module type: the name of its service')
  const action = nameOf(
    types.flatMap(({ actions = [] }) => actions),
    'one of the `actions` of the slot',
  )
  const defect = nameOf(
    types.flatMap(({ defects = [] }) => defects),
    'one of the `defects` of the slot',
  )
  return {
    getSlots: {
      ...benchRead,
      path: `${ROOT}/slots`,
      reply: objectOf({ slots: listOf(slotSchema) }),
      summary: 'Lists the slots with their modules, actions, defects and observations',
    },
    plug: {
      ...benchWrite,
      path: `${SLOT}/plug`,
      parameters: atSlot(7),
      body: objectOf({ module }),
      errors: [benchErrors.slotTaken],
      summary: 'Plugs a module',
      example: { module: 'io' },
    },
    unplug: {
      ...benchWrite,
      path: `${SLOT}/unplug`,
      parameters: atSlot(5),
      errors: [benchErrors.slotEmpty],
      summary: 'Unplugs the module; connections of its pins stay',
    },
    factoryReset: {
      ...benchWrite,
      path: `${SLOT}/factory_reset`,
      parameters: atSlot(1),
      errors: [benchErrors.slotEmpty, benchErrors.moduleNotUp, benchErrors.notFactoryReset],
      summary: 'Sends the factory reset command, which no other API resource sends',
    },
    press: {
      ...benchWrite,
      path: `${SLOT}/press`,
      parameters: atSlot(0),
      body: objectOf({ action }),
      errors: [benchErrors.slotEmpty, benchErrors.refused],
      summary: 'Presses a button or switch of the module',
      example: { action: 'shutdown_switch' },
    },
    break: {
      ...benchWrite,
      path: `${SLOT}/break`,
      parameters: atSlot(1),
      body: objectOf({ defect, for_ms: forMs }, { optional: ['for_ms'] }),
      reply: injectedSchema,
      errors: [benchErrors.slotEmpty, benchErrors.refused],
      summary: 'Starts a defect that only this module type has',
      example: { defect: 'fan_blocked', for_ms: 10_000 },
    },
  } as const satisfies ExtensionEndpoints
}

export function slotHandlers(device: DeviceWithBench, catalog: ModuleCatalog): CheckedExtensionHandlers {
  return extensionHandlers(slotEndpoints(catalog), {
    getSlots: () => ({ slots: shownSlots(device, catalog) }),
    plug: ({ body, parameters: { slot } }) => {
      const found = device.bench.slot(slot)
      if (found.moduleType !== undefined) throw benchErrors.slotTaken({ slot, module: found.moduleType })
      refusedAsField(() => found.plug(body.module))
      return success
    },
    unplug: ({ parameters: { slot } }) => {
      occupied(device, slot).unplug()
      return success
    },
    factoryReset: async ({ parameters: { slot } }) => {
      const found = occupied(device, slot)
      try {
        await found.factoryReset()
      } catch (error) {
        if (error instanceof LinkError && error.failure === 'gone') throw benchErrors.moduleNotUp({ slot }, { cause: error })
        const reason = error instanceof Error ? error.message : 'it failed'
        throw benchErrors.notFactoryReset({ slot, reason }, { cause: error })
      }
      return success
    },
    press: ({ body: { action }, parameters: { slot } }) => {
      const found = occupied(device, slot)
      checkName('action', action, found.actions)
      refusedAsState(() => found.press(action))
      return success
    },
    break: ({ body, parameters: { slot } }) => {
      const found = occupied(device, slot)
      checkName('defect', body.defect, found.defects)
      const { id } = refusedAsState(() => found.break(body.defect, { forMs: body.for_ms }))
      return { ...success, fault: id }
    },
  })
}

/** The slot with its module. Throws `slotEmpty` for an empty slot. */
export function occupied(device: DeviceWithBench, slot: number): BenchSlot {
  const found = device.bench.slot(slot)
  if (found.moduleType === undefined) throw benchErrors.slotEmpty({ slot })
  return found
}

/** The pin of a slot with a module. Throws `slotEmpty`: what is connected to no module has no effect. */
export function occupiedPin(device: DeviceWithBench, { slot, pin }: { readonly slot: number; readonly pin: number }): BenchPin {
  occupied(device, slot)
  return device.bench.pin(slot, pin)
}

/** Throws `invalidField` for a name that this module does not have. */
function checkName(field: string, name: string, allowed: readonly string[]): void {
  if (allowed.includes(name)) return
  const remedy = allowed.length === 0 ? 'the module in this slot has none' : `${allowed.join(', ')}${notValue(name)}`
  throw coreErrors.invalidField({ reason: `${field} is not allowed: ${remedy}` })
}

/** Voltage and current of a pin now. */
export function measured({ volts, amps }: Pick<BenchPin, 'volts' | 'amps'>) {
  return { volts: rounded(volts), milliampere: rounded(amps * MILLI) }
}

export function shownSlots({ bench }: DeviceWithBench, catalog: ModuleCatalog) {
  return bench.slots.map((found) => {
    const count = catalog[found.moduleType ?? '']?.firmware.pins ?? 0
    const pins = Array.from({ length: count }, (_, index) => index + 1)
    return { ...shownSlot(found), pins: pins.map((pin) => ({ pin, ...measured(bench.pin(found.slot, pin)) })) }
  })
}

function shownSlot(found: BenchSlot) {
  const { slot, moduleType, mode, actions, defects } = found
  const settings = withSnakeNames(found.settings) as object
  return {
    slot,
    ...(moduleType === undefined ? {} : { module: moduleType }),
    ...(mode === undefined ? {} : { mode }),
    actions,
    defects,
    observations: withSnakeNames(found.observe()) as object,
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
  }
}
