import { messageOf } from '@slotwire/core'
import * as firmwares from '@slotwire/modules/firmwares'
import { type Bench, benchActions, Chassis, type ChassisOptions, performChecked } from '@slotwire/twin'
import { defaultChassis } from './default-device.ts'

/** What a virtual device begins with: its modules, and actions of the bench before it is switched on. */
export interface Rig {
  /** The default device, or one without modules and wiring. */
  readonly device?: 'default' | 'empty'
  /** Modules by slot; they replace those of the device. */
  readonly modules?: Readonly<Record<number, string>>
  /** Their fields as over HTTP. */
  readonly actions?: readonly { readonly name: string; readonly values: object; readonly at?: string }[]
}

/** The chassis of a rig, without what the rig adds. */
export function chassisFor({ device }: Rig, options: ChassisOptions): Chassis {
  return device === 'empty' ? new Chassis(options) : defaultChassis(options)
}

/** Plugs the modules of a rig and does its actions. Throws `RangeError` that names the action that is not possible. */
export function applyRig(bench: Bench, { modules = {}, actions = [] }: Rig): void {
  for (const [slot, type] of Object.entries(modules)) {
    const place = bench.slot(Number(slot))
    if (place.moduleType !== undefined) place.unplug()
    place.plug(type)
  }
  const known = benchActions(firmwares)
  for (const { name, values, at = 'the rig' } of actions) {
    const action = known[name]
    if (action === undefined) throw new RangeError(`${at}: there is no action ${name}`)
    if (action.isAwaited === true) throw new RangeError(`${at}: ${name} needs a device that runs: do it at the bench`)
    try {
      void performChecked(name, action, bench, values)
    } catch (error) {
      throw new RangeError(`${at}: ${name}: ${messageOf(error)}`, { cause: error })
    }
  }
}
