import type { ModuleCatalog } from '@slotwire/scenario'
import type { ServedExtension } from '@slotwire/service'
import type { BenchTime, DeviceWithBench } from './bench-endpoint.ts'
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
import { TraceRecorder, traceHandlers } from './trace.ts'
import { usbHandlers } from './usb.ts'
import { wiringHandlers } from './wiring.ts'

export interface BenchExtensionOptions {
  /** The device of the bench. `request` answers like its loopback door. */
  readonly device: DeviceWithBench
  readonly time: BenchTime
  /** Module types that the bench can plug. */
  readonly catalog: ModuleCatalog
}

/** The HTTP API of a device's bench, as an extension. Serve it only where programs of the device can reach it. */
export function createBenchExtension({ device, time, catalog }: BenchExtensionOptions): ServedExtension {
  const runner = new ScenarioRunner(device)
  const recorder = new TraceRecorder(device)
  const control = timeControl(time)
  return {
    contract: benchContract(catalog),
    handlers: {
      ...overviewHandlers(device, time, runner, recorder, catalog),
      ...wiringHandlers(device, catalog),
      ...elementHandlers(device),
      ...traceHandlers(recorder, catalog),
      ...slotHandlers(device, catalog),
      ...slotSettingHandlers(device, catalog),
      ...surroundingsHandlers(device),
      ...usbHandlers(device),
      ...faultHandlers(device),
      ...control.handlers,
      ...scenarioHandlers(runner, catalog),
    },
    close: () => {
      void runner.close()
      control.release()
      recorder.stop()
    },
  }
}
