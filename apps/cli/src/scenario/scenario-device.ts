import type { Clock } from '@slotwire/core'
import { createTwin, type Twin, type TwinOptions } from '@slotwire/device/twin'
import type { Scenario } from '@slotwire/scenario'

/** Makes the device that a scenario asks for, not yet switched on. It remembers nothing when it ends. */
export async function deviceOf<Time extends Clock>(
  scenario: Scenario,
  options: Required<Pick<TwinOptions, 'onTransfer'>> & { readonly clock: Time },
): Promise<Twin<Time>> {
  const { seed, bus, powerMode, device, modules } = scenario
  const layout = device === 'empty' ? { layout: {} } : {}
  const twin = await createTwin({ seed, bus, powerMode, ...layout, ...options })
  for (const [slot, type] of Object.entries(modules)) {
    const place = twin.bench.slot(Number(slot))
    if (place.moduleType !== undefined) place.unplug()
    place.plug(type)
  }
  return twin
}
