import type { Chassis } from '../board/chassis.ts'
import type { Fault } from '../faults/fault.ts'
import type { ActiveFault } from '../faults/slot-faults.ts'
import type { Firmware, ModuleTypes } from '../module/firmware.ts'
import type { ModuleMode } from '../module/virtual-module.ts'
import type { Settings } from '../settings/field.ts'
import { checkedSettings } from '../settings/field.ts'
import { assertFactoryMade } from './factory-made.ts'

interface Lasting {
  readonly forMs?: number | undefined
}

/** A slot as somebody at the bench sees it. */
export class BenchSlot {
  readonly slot: number
  readonly #chassis: Chassis
  readonly #moduleTypes: ModuleTypes

  constructor(slot: number, chassis: Chassis, moduleTypes: ModuleTypes) {
    this.slot = slot
    this.#chassis = chassis
    this.#moduleTypes = moduleTypes
  }

  /** Name of the module type in it; undefined while it is empty. */
  get moduleType(): string | undefined {
    const definition = this.#chassis.definition(this.slot)
    if (definition === undefined) return undefined
    const known = Object.entries(this.#moduleTypes).find(([, each]) => each === definition)
    return known?.[0] ?? definition.vendorProductId
  }

  /** What the module does now; undefined while the slot is empty. */
  get mode(): ModuleMode | undefined {
    return this.moduleType === undefined ? undefined : this.#chassis.module(this.slot).mode
  }

  /** Throws `RangeError` for an unknown type and a taken slot. */
  plug(moduleType: string): void {
    const definition = Object.hasOwn(this.#moduleTypes, moduleType) ? this.#moduleTypes[moduleType] : undefined
    if (definition === undefined)
      throw new RangeError(`there is no module type ${moduleType}: ${Object.keys(this.#moduleTypes).join(', ')}`)
    this.#chassis.plug(this.slot, definition)
  }

  /** Throws `RangeError` for an empty slot. */
  unplug(): void {
    this.#chassis.unplug(this.slot)
  }

  /** FACTORY_RESET, which no REST resource reaches. Rejects with `RangeError`, `LinkError` or `SdbpError`. */
  factoryReset(): Promise<void> {
    return this.#chassis.factoryReset(this.slot)
  }

  /** Names of what can be pressed at the module, and of what can break in it. */
  get actions(): readonly string[] {
    return Object.keys(this.#firmware?.actions ?? {})
  }

  get defects(): readonly string[] {
    return Object.keys(this.#firmware?.defects ?? {})
  }

  /** Presses what the module has: `shutdown_switch`. Throws `RangeError` for what it does not have. */
  press(action: string): void {
    const press = own(this.#firmware?.actions, action)
    if (press === undefined) throw this.#without(action, 'press', this.actions)
    const { mode } = this.#chassis.module(this.slot)
    if (mode === 'off' || mode === 'bootloader')
      throw new RangeError(`the module in slot ${this.slot} does not run: press ${action} when it is up`)
    press()
  }

  /** What can be seen and heard at the module, by name: plain data. */
  observe(): Readonly<Record<string, unknown>> {
    const observations = Object.entries(this.#firmware?.observations ?? {})
    return structuredClone(Object.fromEntries(observations.map(([name, look]) => [name, look()])))
  }

  /** What the module has for settings, as they are now; empty where it has none. */
  get settings(): Settings {
    return { ...this.#settings?.values.now }
  }

  /** Changes settings of the module at once: `{ probe1Celsius: 30 }`. Throws `RangeError` for what does not fit; then nothing has changed. */
  set(change: object): void {
    const settings = this.#settings
    if (settings === undefined) throw this.#without(Object.keys(change)[0] ?? 'setting', 'set', [])
    settings.values.set(checkedSettings(settings.moduleType, settings.fields, change))
  }

  /** Lets something break that this type of module alone has (`fan_blocked`), for `forMs` or until it is cleared. */
  break(defect: string, options: Lasting = {}): ActiveFault {
    const begin = own(this.#firmware?.defects, defect)
    if (begin === undefined) throw this.#without(defect, 'break', this.defects)
    if (this.#active.some(({ kind }) => kind === defect))
      throw new RangeError(`${defect} of the module in slot ${this.slot} is there already: clear it first`)
    const description = defect.replaceAll('_', ' ')
    const fault: Fault = { kind: defect, description, settings: {}, lasts: true, isOfModule: true, begin: () => begin() }
    const active = this.#chassis.faults.inject(this.slot, fault, options)
    if (active === undefined) throw new Error(`${defect} did not begin`)
    return active
  }

  /** Lets something go wrong between host and module, or in its storage. Undefined: it happened, and there is nothing to clear. */
  inject(fault: Fault, options: Lasting = {}): ActiveFault | undefined {
    assertFactoryMade(fault, 'begin', 'a fault, as in slot.inject(hang())')
    return this.#chassis.faults.inject(this.slot, fault, options)
  }

  get #active(): readonly ActiveFault[] {
    return this.#chassis.faults.active().filter(({ slot }) => slot === this.slot)
  }

  /** What the definition declares, with the values of the module. */
  get #settings() {
    const { moduleType } = this
    const fields = this.#chassis.definition(this.slot)?.settings
    const values = this.#firmware?.settings
    return moduleType === undefined || fields === undefined || values === undefined ? undefined : { moduleType, fields, values }
  }

  get #firmware(): Firmware | undefined {
    return this.#chassis.definition(this.slot) === undefined ? undefined : this.#chassis.module(this.slot).firmware
  }

  #without(name: string, verb: string, has: readonly string[]): RangeError {
    if (this.moduleType === undefined) return new RangeError(`slot ${this.slot} is empty: there is no ${name} to ${verb}`)
    const choice = has.length === 0 ? `${this.moduleType} has nothing to ${verb}` : has.join(', ')
    return new RangeError(`the module in slot ${this.slot} has no ${name} to ${verb}: ${choice}`)
  }
}

/** What the module has itself, not what its object inherits. */
function own<Value>(record: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined
}
