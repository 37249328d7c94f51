import type { Extension, ExtensionEndpoints } from '@slotwire/contract'
import type { ModuleCatalog } from '@slotwire/scenario'
import type { ExtensionHandlers, ServedExtension } from '@slotwire/service'
import { actionEndpoint, benchActions, perform, typesIn } from '@slotwire/twin'
import { type BenchTime, type DeviceWithBench, success } from './bench-endpoint.ts'
import { ScenarioRunner, scenarioEndpoints, scenarioHandlers } from './scenario.ts'
import { stateEndpoints, stateHandlers } from './state.ts'
import { timeControl, timeEndpoints } from './time.ts'
import { TraceRecorder, traceEndpoints, traceHandlers } from './trace.ts'

export interface BenchExtensionOptions {
  /** The device of the bench. `request` answers like its loopback door. */
  readonly device: DeviceWithBench
  readonly time: BenchTime
  /** Module types that the bench can plug. */
  readonly catalog: ModuleCatalog
}

/** An endpoint for each action of the bench, with the name of the action. */
function actionEndpoints(catalog: ModuleCatalog): ExtensionEndpoints {
  const actions = Object.entries(benchActions(typesIn(catalog)))
  return Object.fromEntries(actions.map(([name, action]) => [name, actionEndpoint(name, action)]))
}

function actionHandlers({ bench }: DeviceWithBench, catalog: ModuleCatalog): ExtensionHandlers {
  const actions = Object.entries(benchActions(typesIn(catalog)))
  return Object.fromEntries(
    actions.map(([name, action]) => [
      name,
      async ({ body }) => ({ ...success, ...(await perform(action, bench, body as object)) }),
    ]),
  )
}

/** Many devices of a process share one contract. */
const contracts = new WeakMap<ModuleCatalog, Extension>()

/** The bench of a virtual device over HTTP. `catalog` lists the module types. */
export function benchContract(catalog: ModuleCatalog): Extension {
  const contract = contracts.get(catalog) ?? contractOf(catalog)
  contracts.set(catalog, contract)
  return contract
}

const contractOf = (catalog: ModuleCatalog): Extension => ({
  name: 'bench',
  description:
    'Wiring, slots, supply, USB, faults and time of a virtual device. Only programs on the same machine can use it, and the addresses of `--bench-from`: real hardware has no bench, and others at the network door get 404.',
  endpoints: {
    ...stateEndpoints(catalog),
    ...actionEndpoints(catalog),
    ...traceEndpoints(catalog),
    ...timeEndpoints,
    ...scenarioEndpoints,
  },
})

/** The HTTP API of a device's bench, as an extension. Serve it only where programs on the same machine can reach it. */
export function createBenchExtension({ device, time, catalog }: BenchExtensionOptions): ServedExtension {
  const runner = new ScenarioRunner(device)
  const recorder = new TraceRecorder(device)
  const control = timeControl(time)
  return {
    contract: benchContract(catalog),
    handlers: {
      ...stateHandlers(device, time, runner, recorder, catalog),
      ...actionHandlers(device, catalog),
      ...traceHandlers(recorder, catalog),
      ...control.handlers,
      ...scenarioHandlers(runner, device, catalog),
    },
    close: () => {
      void runner.close()
      control.release()
      recorder.stop()
    },
  }
}
