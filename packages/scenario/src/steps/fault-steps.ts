import { FAULT_DURATION_MS, reboot, snakeName } from '@slotwire/twin'
import { durationWithin } from '../read/duration.ts'
import { needed, optional, readFields, splitByFields } from '../read/field.ts'
import { deviceWord, slotNumber, slotOr } from '../read/field-types.ts'
import { faults } from '../read/kind-types.ts'
import { StepFailure } from '../run/step-failure.ts'
import { defineStep, type StepKind, settingsOf } from './step-kind.ts'

const faultDuration = durationWithin(FAULT_DURATION_MS)

const faultFields = {
  slot: needed(slotNumber, 'the slot'),
  for: optional(faultDuration, 'duration; default: until clear_faults'),
}

/** The kind of fault is a separate key: `fault: { slot: 3, crc_errors: 30% }`. */
export const fault: StepKind = {
  name: 'fault',
  summary: 'Injects a fault between the host and the module in a slot, or into its storage.',
  fields: faultFields,
  read: (entry, reading) => {
    const map = settingsOf(entry.value, entry, reading, faultFields, undefined)
    if (map === undefined) return undefined
    const [own, others] = splitByFields(map, faultFields)
    const values = readFields(own, faultFields, reading, 'fault')
    const wrong = faults.read(others.entries, map, reading)
    if (values === undefined || wrong === undefined) return undefined
    if (values.for !== undefined && !wrong.lasts)
      return reading.fail(map, `fault: ${snakeName(wrong.kind)} has no duration: leave for out`)
    return {
      pins: [],
      run: ({ world }) => {
        const slot = world.bench.slot(values.slot)
        // Storage and wires exist without a module, too.
        if (wrong.kind === reboot.kind && slot.moduleType === undefined)
          throw new StepFailure(`a module that reboots in slot ${values.slot}`, 'the slot is empty')
        slot.inject(wrong, { forMs: values.for })
      },
    }
  },
}

export const clearFaults = defineStep({
  name: 'clear_faults',
  summary: 'Ends the faults of a slot, or all.',
  fields: { slot: needed(slotOr('all'), 'the slot') },
  alone: 'slot',
  run: ({ slot }, { world }) => {
    world.bench.clearFaults(slot === 'all' ? undefined : slot)
  },
})

export const breakStep = defineStep({
  name: 'break',
  summary: 'Starts a defect that only one module type has.',
  fields: {
    slot: needed(slotNumber, 'the slot'),
    defect: needed(deviceWord, 'name of the defect: fan_blocked'),
    for: optional(faultDuration, 'duration; default: until clear_faults'),
  },
  run: ({ slot, defect, for: forMs }, { world }) => {
    world.bench.slot(slot).break(defect, { forMs })
  },
})
