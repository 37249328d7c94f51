import type { Chassis } from '../board/chassis.ts'
import type { Fault } from '../faults/fault.ts'
import type { ActiveFault } from '../faults/slot-faults.ts'
import type { Firmware, ModuleTypes } from '../module/firmware.ts'
import type { ModuleMode } from '../module/virtual-module.ts'
import { type BenchSettings, checkedChange } from '../settings/kind.ts'
import { assertFactoryMade } from './factory-made.ts'

interface FaultDuration {
  readonly forMs?: number | undefined
}

/** One slot of the bench: its module, settings, defects and faults. */
export class BenchSlot {
  constructor(
    readonly slot: number,
    private readonly chassis: Chassis,
    private readonly moduleTypes: ModuleTypes,
  ) {}

  /** Name of the module type in the slot; undefined while the slot is empty. */
  get moduleType(): string | undefined {
    const definition = this.chassis.definition(this.slot)
    if (definition === undefined) return undefined
    const known = Object.entries(this.moduleTypes).find(([, each]) => each === definition)
    return known?.[0] ?? definition.vendorProductId
  }

  /** The module's mode; undefined while the slot is empty. */
  get mode(): ModuleMode | undefined {
    return this.moduleType === undefined ? undefined : this.chassis.module(this.slot).mode
  }

  /** Throws `RangeError` for an unknown type and a taken slot. */
  plug(moduleType: string): void {
    const definition = Object.hasOwn(this.moduleTypes, moduleType) ? this.moduleTypes[moduleType] : undefined
    if (definition === undefined)
      throw new RangeError(`there is no module type ${moduleType}: ${Object.keys(this.moduleTypes).join(', ')}`)
    this.chassis.plug(this.slot, definition)
  }

  /** Throws `RangeError` for an empty slot. */
  unplug(): void {
    this.chassis.unplug(this.slot)
  }

  /** FACTORY_RESET, which no REST resource reaches. Rejects with `RangeError`, `LinkError` or `SdbpError`. */
  factoryReset(): Promise<void> {
    return this.chassis.factoryReset(this.slot)
  }

  /** Names of the module's buttons (`actions`) and of what can break in it (`defects`). */
  get actions(): readonly string[] {
    return this.chassis.definition(this.slot)?.actions ?? []
  }

  get defects(): readonly string[] {
    return this.chassis.definition(this.slot)?.defects ?? []
  }

  /** Presses a button of the module: `shutdown_switch`. Throws `RangeError` for an unknown one. */
  press(action: string): void {
    const press = own(this.#firmware?.actions, action)
    if (press === undefined) throw this.#without(action, 'press', this.actions)
    const { mode } = this.chassis.module(this.slot)
    if (mode === 'off' || mode === 'bootloader')
      throw new RangeError(`the module in slot ${this.slot} does not run: press ${action} when it is up`)
    press()
  }

  /** What an observer can see and hear at the module, by name: plain data. */
  observe(): Readonly<Record<string, unknown>> {
    const observations = Object.entries(this.#firmware?.observations ?? {})
    return structuredClone(Object.fromEntries(observations.map(([name, look]) => [name, look()])))
  }

  /** Current settings of the module; empty if it has no settings. */
  get settings(): BenchSettings {
    return { ...this.#settings?.values.now }
  }

  /** Changes settings at once: `{ probe1Celsius: 30 }`. Throws `RangeError` for an invalid change, and then changes nothing. */
  set(change: object): void {
    const settings = this.#settings
    if (settings === undefined) throw this.#without(Object.keys(change)[0] ?? 'setting', 'set', [])
    settings.values.set(checkedChange(settings, change))
  }

  /** Starts a defect that only this module type has (`fan_blocked`), for `forMs` or until it is cleared. */
  break(defect: string, options: FaultDuration = {}): ActiveFault {
    const begin = own(this.#firmware?.defects, defect)
    if (begin === undefined) throw this.#without(defect, 'break', this.defects)
    if (this.chassis.faults.active().some(({ slot, kind }) => slot === this.slot && kind === defect))
      throw new RangeError(`${defect} of the module in slot ${this.slot} is already active: clear it first`)
    const description = defect.replaceAll('_', ' ')
    const fault: Fault = { kind: defect, description, settings: {}, lasts: true, isOfModule: true, begin: () => begin() }
    const active = this.chassis.faults.inject(this.slot, fault, options)
    if (active === undefined) throw new Error(`${defect} did not begin`)
    return active
  }

  /** Injects a fault between host and module, or in the module's storage. Returns undefined if it is over at once. */
  inject(fault: Fault, options: FaultDuration = {}): ActiveFault | undefined {
    assertFactoryMade(fault, 'begin', 'a fault, as in slot.inject(hang())')
    return this.chassis.faults.inject(this.slot, fault, options)
  }

  /** The declared settings fields, with the module's values. */
  get #settings() {
    const { moduleType } = this
    const fields = this.chassis.definition(this.slot)?.settings
    const values = this.#firmware?.settings
    return moduleType === undefined || fields === undefined || values === undefined ? undefined : { moduleType, fields, values }
  }

  get #firmware(): Firmware | undefined {
    return this.chassis.definition(this.slot) === undefined ? undefined : this.chassis.module(this.slot).firmware
  }

  #without(name: string, verb: string, has: readonly string[]): RangeError {
    if (this.moduleType === undefined) return new RangeError(`slot ${this.slot} is empty: there is no ${name} to ${verb}`)
    const choice = has.length === 0 ? `${this.moduleType} has nothing to ${verb}` : has.join(', ')
    return new RangeError(`the module in slot ${this.slot} has no ${name} to ${verb}: ${choice}`)
  }
}

/** Reads an own property, never an inherited one. */
function own<Value>(record: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined
}
