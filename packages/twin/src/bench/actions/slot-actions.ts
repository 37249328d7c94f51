import { integer, objectOf } from '@slotwire/contract'
import { LinkError, messageOf } from '@slotwire/core'
import { faultKinds } from '../../faults/index.ts'
import { reboot } from '../../faults/kinds.ts'
import { FAULT_DURATION_MS } from '../../faults/slot-faults.ts'
import type { ModuleTypes } from '../../module/firmware.ts'
import { benchErrors } from '../errors.ts'
import { snakeName } from '../snake-names.ts'
import { defineAction, orThrow } from './action.ts'
import { checkName, faultsField, madeReply, nameField, nameIn, occupied, slotField } from './fields.ts'
import { kindFields, kindIn, withFields } from './settings-schema.ts'

const faults = Object.values(faultKinds)
const { fields: faultFields, rules: oneFault } = kindFields(faults)
const brief = faults.filter(({ lasts }) => !lasts).map(({ kind }) => snakeName(kind))

function faultOf(values: object) {
  const { kind, settings } = kindIn(faults, values)
  return kind.from(settings)
}

/** Modules in their slots. */
export const plugActions = (types: ModuleTypes) => ({
  plug: defineAction({
    summary: 'Plugs a module into an empty slot',
    body: objectOf({ slot: slotField, module: nameIn(Object.keys(types), 'module type: the name of its service') }),
    example: { slot: 7, module: 'io' },
    errors: [benchErrors.slotTaken],
    run: (bench, { slot, module }) => {
      const benchSlot = bench.slot(slot)
      if (benchSlot.moduleType !== undefined) throw benchErrors.slotTaken({ slot, module: benchSlot.moduleType })
      benchSlot.plug(module)
    },
  }),
  unplug: defineAction({
    summary: 'Unplugs the module of a slot; connections of its pins stay',
    body: objectOf({ slot: slotField }, { rules: { 'x-alone': 'slot' } }),
    example: { slot: 5 },
    errors: [benchErrors.slotEmpty],
    run: (bench, { slot }) => occupied(bench, slot).unplug(),
  }),
})

/** Faults and restarts. */
export const faultActions = (types: ModuleTypes) => ({
  fault: defineAction({
    summary: 'Injects a fault between the host and the module in a slot, or into its storage',
    body: withFields(
      objectOf({ slot: slotField, for_ms: FAULT_DURATION_MS, as: nameField('fault') }, { optional: ['for_ms', 'as'] }),
      faultFields,
      { ...oneFault, not: { anyOf: brief.map((kind) => ({ required: ['for_ms', kind] })) } },
    ),
    example: { slot: 3, crc_errors: { share: 0.3 }, for_ms: 10_000 },
    reply: madeReply('fault; missing if it is over at once'),
    errors: [benchErrors.slotEmpty],
    check: (values) => void faultOf(values),
    makes: () => 'fault',
    run: (bench, { slot, for_ms: lastsMs, as, ...values }) => {
      const made = faultOf(values)
      // Storage and wires exist without a module, too.
      const benchSlot = made.kind === reboot.kind ? occupied(bench, slot) : bench.slot(slot)
      const active = benchSlot.inject(made, { forMs: lastsMs })
      return active === undefined ? {} : { name: bench.name(active.id, as) }
    },
  }),
  break: defineAction({
    summary: 'Starts a defect that only one module type has',
    body: objectOf(
      {
        slot: slotField,
        defect: nameIn(
          Object.values(types).flatMap(({ defects = [] }) => defects),
          'name of the defect: fan_blocked',
        ),
        for_ms: FAULT_DURATION_MS,
        as: nameField('fault'),
      },
      { optional: ['for_ms', 'as'] },
    ),
    example: { slot: 1, defect: 'fan_blocked', for_ms: 10_000 },
    reply: madeReply('fault'),
    errors: [benchErrors.slotEmpty],
    makes: () => 'fault',
    run: (bench, { slot, defect, for_ms: lastsMs, as }) => {
      const benchSlot = occupied(bench, slot)
      checkName('defect', defect, benchSlot.defects)
      return { name: bench.name(benchSlot.break(defect, { forMs: lastsMs }).id, as) }
    },
  }),
  clear_faults: defineAction({
    summary: 'Ends all faults, those of a slot, or the fault with a name',
    body: objectOf({ of: faultsField }, { rules: { 'x-alone': 'of' } }),
    example: { of: 'all' },
    reply: { cleared: integer({ description: 'number of ended faults' }) },
    errors: [benchErrors.noSuchFault],
    run: (bench, { of }) => {
      if (of === 'all') return { cleared: bench.clearFaults() }
      if (/^\d$/.test(of)) return { cleared: bench.clearFaults(Number(of)) }
      orThrow(() => bench.fault(of), benchErrors.noSuchFault({ name: of })).clear()
      return { cleared: 1 }
    },
  }),
  factory_reset: defineAction({
    summary: 'Sends the FACTORY_RESET command to a module; no REST resource does this',
    body: objectOf({ slot: slotField }, { rules: { 'x-alone': 'slot' } }),
    example: { slot: 1 },
    errors: [benchErrors.slotEmpty, benchErrors.moduleNotUp, benchErrors.notFactoryReset],
    isAwaited: true,
    run: async (bench, { slot }) => {
      const benchSlot = occupied(bench, slot)
      try {
        await benchSlot.factoryReset()
      } catch (error) {
        if (error instanceof LinkError && error.failure === 'gone') throw benchErrors.moduleNotUp({ slot }, { cause: error })
        throw benchErrors.notFactoryReset({ slot, reason: messageOf(error) }, { cause: error })
      }
    },
  }),
  restart: defineAction({
    summary: 'Interrupts the supply of the whole device for a moment',
    body: objectOf({}),
    example: {},
    errors: [],
    run: (bench) => bench.restart(),
  }),
})
