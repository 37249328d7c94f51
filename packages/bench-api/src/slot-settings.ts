import type { ExtensionEndpoints } from '@slotwire/contract'
import type { ModuleCatalog } from '@slotwire/scenario'
import { type CheckedExtensionHandlers, extensionHandlers } from '@slotwire/service'
import { snakeName } from '@slotwire/twin'
import { atSlot, benchWrite, type DeviceWithBench, ROOT, success } from './bench-endpoint.ts'
import { benchErrors } from './errors.ts'
import { withCodeNames } from './json-names.ts'
import { refusedAsField } from './refusals.ts'
import { anySettingsSchema, meaningOf } from './settings-schema.ts'
import { occupied } from './slots.ts'

/** Endpoint that changes settings of a module; empty if no module type declares settings. */
export function slotSettingEndpoints(catalog: ModuleCatalog) {
  const kinds = kindsOf(catalog)
  const [first] = kinds
  if (first === undefined) return {}
  const [example] = Object.entries(first.fields).map(([name, field]) => ({ [snakeName(name)]: field.default }))
  const setSlot = {
    ...benchWrite,
    path: `${ROOT}/slot/{slot}/set`,
    parameters: atSlot(first.defaultSlots.at(-1) ?? 0),
    body: anySettingsSchema(kinds, (field, of) => `${meaningOf(field)}; of ${of}`),
    errors: [benchErrors.slotEmpty],
    summary: 'Changes settings of the module in a slot at once',
    description: 'Takes the settings of its module type; omitted settings stay unchanged.',
    ...(example === undefined ? {} : { example }),
  } as const
  return { setSlot } satisfies ExtensionEndpoints
}

export function slotSettingHandlers(device: DeviceWithBench, catalog: ModuleCatalog): CheckedExtensionHandlers {
  const { setSlot } = slotSettingEndpoints(catalog)
  if (setSlot === undefined) return {}
  const names = kindsOf(catalog).flatMap(({ fields }) => Object.keys(fields))
  return extensionHandlers(
    { setSlot },
    {
      setSlot: ({ body, parameters: { slot } }) => {
        const found = occupied(device, slot)
        refusedAsField(() => found.set(withCodeNames(body)), names)
        return success
      },
    },
  )
}

/** Module types with settings. Throws if two types use one name for different units: one request body serves all types. */
function kindsOf(catalog: ModuleCatalog) {
  const units = new Map<string, string>()
  for (const { firmware } of Object.values(catalog)) {
    for (const [name, field] of Object.entries(firmware.settings ?? {})) {
      const unit = field.type === 'number' ? field.unit : 'true or false'
      if ((units.get(name) ?? unit) !== unit)
        throw new Error(`setting ${name} is in ${units.get(name)} and in ${unit}: give it another name`)
      if (name === 'of' || name === 'slot') throw new Error(`no setting can be called ${name}`)
      units.set(name, unit)
    }
  }
  return Object.entries(catalog).flatMap(
    ([
      kind,
      {
        firmware: { settings },
        contract: { defaultSlots },
      },
    ]) => (settings === undefined ? [] : [{ kind, fields: settings, defaultSlots }]),
  )
}
