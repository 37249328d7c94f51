import { type ExtensionEndpoints, listOf, objectOf } from '@slotwire/contract'
import type { ModuleCatalog } from '@slotwire/scenario'
import { type CheckedExtensionHandlers, extensionHandlers } from '@slotwire/service'
import { type BenchTime, benchRead, type DeviceWithBench, ROOT } from './bench-endpoint.ts'
import { faultSchema, shownFault } from './faults.ts'
import { scenarioSchema, shownScenario } from './scenario.ts'
import type { ScenarioRunner } from './scenario-runner.ts'
import { shownSlots, slotSchema } from './slots.ts'
import { shownSurroundings, surroundingsSchema } from './surroundings.ts'
import { shownTime, timeSchema } from './time.ts'
import { shownTrace, type TraceRecorder, traceSchema } from './trace.ts'
import { shownUsb, usbSchema } from './usb.ts'
import { connectionSchema, shownConnection } from './wiring.ts'

export const overviewEndpoints = {
  getBench: {
    ...benchRead,
    path: ROOT,
    reply: objectOf({
      time: timeSchema,
      surroundings: surroundingsSchema,
      slots: listOf(slotSchema),
      usb: usbSchema,
      connections: listOf(connectionSchema),
      trace: traceSchema,
      faults: listOf(faultSchema),
      scenario: scenarioSchema,
    }),
    summary: 'Shows wiring, slots, surroundings, faults and time at a glance',
  },
} as const satisfies ExtensionEndpoints

export function overviewHandlers(
  device: DeviceWithBench,
  time: BenchTime,
  runner: ScenarioRunner,
  recorder: TraceRecorder,
  catalog: ModuleCatalog,
): CheckedExtensionHandlers {
  return extensionHandlers(overviewEndpoints, {
    getBench: () => {
      const { bench } = device
      return {
        time: shownTime(time),
        surroundings: shownSurroundings(device),
        slots: shownSlots(device, catalog),
        usb: shownUsb(device),
        connections: bench.connections.map(shownConnection),
        trace: shownTrace(recorder),
        faults: bench.faults.map(shownFault),
        scenario: shownScenario(runner),
      }
    },
  })
}
