import * as contracts from '@slotwire/modules/contracts'
import * as firmwares from '@slotwire/modules/firmwares'
import { Bench, Chassis, type ChassisOptions, type FirmwareDefinition, resistor, squareWave } from '@slotwire/twin'

/** Slots and module types of the default device, from the contracts; twin.md "Chassis". Slots 2 and 7 stay empty for tests and examples. */
export const DEFAULT_LAYOUT: readonly (readonly [slot: number, type: keyof typeof firmwares])[] = Object.values(
  contracts,
).flatMap(({ service, defaultSlots }) => defaultSlots.map((slot) => [slot, service] as const))
/** Slot with a USB device on its port. */
const USB_SLOT = 4

/** The default virtual device, switched off: bmc in 0, power in 1, io in 3 and 5, and the wiring of twin.md "Chassis". */
export function defaultChassis(options: ChassisOptions): Chassis {
  const chassis = new Chassis(options)
  for (const [slot, type] of DEFAULT_LAYOUT) chassis.plug(slot, firmwares[type])
  chassis.wiring.wire('5/1', '5/2')
  chassis.wiring.connect('5/3', resistor({ ohms: 10_000, volts: 3.3 }))
  chassis.wiring.connect('5/4', squareWave({ frequencyHz: 100, lowVolts: 0, highVolts: 5 }))
  createBench(chassis).usb.attach(USB_SLOT, {
    manufacturer: 'Slotwire',
    product: 'Virtual serial adapter',
    serialCode: 'VSA-0001',
  })
  return chassis
}

/** Whether the virtual module in a slot of the default device can have saved this document. */
export function isTwinMemory(slot: number, document: Readonly<Record<string, unknown>>): boolean {
  const type = DEFAULT_LAYOUT.find(([one]) => one === slot)?.[1]
  const firmware: FirmwareDefinition | undefined = type === undefined ? undefined : firmwares[type]
  return firmware?.isMemory?.(document) !== false
}

/** All module types by service name, with firmware and contract; used to check scenarios. */
export const catalog = Object.fromEntries(
  Object.values(contracts).map((contract) => [contract.service, { firmware: firmwares[contract.service], contract }]),
)

/** Bench of a virtual device; accepts all module types. */
export function createBench(chassis: Chassis): Bench {
  return new Bench(chassis, { ...firmwares })
}
