import type { Extension } from '@slotwire/contract'
import type { ModuleCatalog } from '@slotwire/scenario'
import { elementEndpoints } from './elements.ts'
import { faultEndpoints } from './faults.ts'
import { overviewEndpoints } from './overview.ts'
import { scenarioEndpoints } from './scenario.ts'
import { slotSettingEndpoints } from './slot-settings.ts'
import { slotEndpoints } from './slots.ts'
import { surroundingsEndpoints } from './surroundings.ts'
import { timeEndpoints } from './time.ts'
import { traceEndpoints } from './trace.ts'
import { usbEndpoints } from './usb.ts'
import { wiringEndpoints } from './wiring.ts'

/** The bench of a virtual device over HTTP. `catalog` lists the module types. */
export const benchContract = (catalog: ModuleCatalog): Extension => ({
  name: 'bench',
  description:
    'Wiring, slots, supply, USB, faults and time of a virtual device. Only programs of the device can use it: real hardware has no bench, and the network door answers 404.',
  endpoints: {
    ...overviewEndpoints,
    ...wiringEndpoints(catalog),
    ...elementEndpoints(catalog),
    ...traceEndpoints(catalog),
    ...slotEndpoints(catalog),
    ...slotSettingEndpoints(catalog),
    ...surroundingsEndpoints,
    ...usbEndpoints,
    ...faultEndpoints,
    ...timeEndpoints,
    ...scenarioEndpoints,
  },
})
