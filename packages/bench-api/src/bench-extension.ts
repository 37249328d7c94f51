import type { ModuleCatalog } from '@slotwire/scenario'
import type { ServedExtension } from '@slotwire/service'
import type { BenchedDevice } from './bench-endpoint.ts'
import type { BenchTime } from './bench-time.ts'
import { benchContract } from './contract.ts'
import { elementHandlers } from './elements.ts'
import { faultHandlers } from './faults.ts'
import { overviewHandlers } from './overview.ts'
import { scenarioHandlers } from './scenario.ts'
import { ScenarioRunner } from './scenario-runner.ts'
import { slotSettingHandlers } from './slot-settings.ts'
import { slotHandlers } from './slots.ts'
import { surroundingsHandlers } from './surroundings.ts'
import { timeControl } from './time.ts'
import { usbHandlers } from './usb.ts'
import { wiringHandlers } from './wiring.ts'

export interface BenchExtensionOptions {
  /** The device whose bench it is. `request` answers as its loopback door would. */
  readonly device: BenchedDevice
  readonly time: BenchTime
  /** The module types that its bench can plug. */
  readonly catalog: ModuleCatalog
}

/** The bench of a virtual device, to be served beside the API of its modules: only where programs of the device alone reach it. */
export function createBenchExtension({ device, time, catalog }: BenchExtensionOptions): ServedExtension {
  const runner = new ScenarioRunner(device)
  const control = timeControl(time)
  return {
    contract: benchContract(catalog),
    handlers: {
      ...overviewHandlers(device, time, runner),
      ...wiringHandlers(device, catalog),
      ...elementHandlers(device),
      ...slotHandlers(device),
      ...slotSettingHandlers(device, catalog),
      ...surroundingsHandlers(device),
      ...usbHandlers(device),
      ...faultHandlers(device),
      ...control.handlers,
      ...scenarioHandlers(runner, catalog),
    },
    close: () => {
      void runner.close()
      control.letGo()
    },
  }
}
