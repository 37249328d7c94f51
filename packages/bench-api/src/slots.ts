import { anyObject, choice, type ExtensionEndpoints, integer, listOf, objectOf, text } from '@slotwire/contract'
import { coreErrors, LinkError } from '@slotwire/core'
import { type CheckedExtensionHandlers, extensionHandlers } from '@slotwire/service'
import { type BenchSlot, type ModuleMode, withSnakeNames } from '@slotwire/twin'
import { atSlot, type BenchedDevice, does, looks, ROOT, success } from './bench-endpoint.ts'
import { benchErrors } from './errors.ts'
import { forMs } from './faults.ts'
import { refusedAsField, refusedAsState } from './refusals.ts'
import { doneSchema } from './replies.ts'

const SLOT = `${ROOT}/slot/{slot}`
/** Longest name of a module type, an action or a defect that is looked up. */
const LONGEST_NAME = 60

const MODES = ['off', 'suspend', 'run', 'bootloader'] as const satisfies readonly ModuleMode[]

/** A slot as the bench shows it. */
export const slotSchema = objectOf(
  {
    slot: integer(),
    module: text({ description: 'type of the module, the name of its service; left out while the slot is empty' }),
    mode: choice(MODES, { description: 'what the module does now; left out while the slot is empty' }),
    actions: listOf(text(), { description: 'what can be pressed' }),
    defects: listOf(text(), { description: 'what can break' }),
    observations: anyObject({ description: 'what can be seen and heard at the module' }),
    settings: anyObject({ description: 'as they are now; left out where the module has none' }),
  },
  { optional: ['module', 'mode', 'settings'] },
)

export const slotEndpoints = {
  getSlots: {
    ...looks,
    path: `${ROOT}/slots`,
    reply: objectOf({ slots: listOf(slotSchema) }),
    summary: 'Lists the slots: which module is in each, and what can be seen and done there',
  },
  plug: {
    ...does,
    path: `${SLOT}/plug`,
    parameters: atSlot(7),
    body: objectOf({ module: text({ max: LONGEST_NAME, description: 'type of the module: the name of its service' }) }),
    errors: [benchErrors.slotTaken],
    summary: 'Plugs a module in',
    example: { module: 'io' },
  },
  unplug: {
    ...does,
    path: `${SLOT}/unplug`,
    parameters: atSlot(5),
    errors: [benchErrors.slotEmpty],
    summary: 'Pulls the module out; what hangs on its pins stays',
  },
  factoryReset: {
    ...does,
    path: `${SLOT}/factory_reset`,
    parameters: atSlot(1),
    errors: [benchErrors.slotEmpty, benchErrors.moduleNotUp, benchErrors.notFactoryReset],
    summary: 'Gives the module the factory reset command, which no resource of the API reaches',
  },
  press: {
    ...does,
    path: `${SLOT}/press`,
    parameters: atSlot(0),
    body: objectOf({ action: text({ max: LONGEST_NAME, description: 'one of the `actions` of the slot' }) }),
    errors: [benchErrors.slotEmpty, benchErrors.refused],
    summary: 'Presses a button or switch of the module',
    example: { action: 'shutdown_switch' },
  },
  break: {
    ...does,
    path: `${SLOT}/break`,
    parameters: atSlot(1),
    body: objectOf(
      { defect: text({ max: LONGEST_NAME, description: 'one of the `defects` of the slot' }), for_ms: forMs },
      { optional: ['for_ms'] },
    ),
    reply: doneSchema({ fault: integer({ description: 'its number, for clearing it' }) }),
    errors: [benchErrors.slotEmpty, benchErrors.refused],
    summary: 'Lets something break that this type of module alone has',
    example: { defect: 'fan_blocked', for_ms: 10_000 },
  },
} as const satisfies ExtensionEndpoints

export function slotHandlers(device: BenchedDevice): CheckedExtensionHandlers {
  return extensionHandlers(slotEndpoints, {
    getSlots: () => ({ slots: device.bench.slots.map(shownSlot) }),
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

/** A slot that holds a module. Throws `slotEmpty` where it holds none. */
export function occupied(device: BenchedDevice, slot: number): BenchSlot {
  const found = device.bench.slot(slot)
  if (found.moduleType === undefined) throw benchErrors.slotEmpty({ slot })
  return found
}

/** Throws `invalidField` for what this module does not have. */
function checkName(field: string, name: string, allowed: readonly string[]): void {
  if (allowed.includes(name)) return
  const remedy = allowed.length === 0 ? 'the module in this slot has none' : allowed.join(', ')
  throw coreErrors.invalidField({ reason: `${field} is not allowed: ${remedy}` })
}

export function shownSlot(found: BenchSlot) {
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
