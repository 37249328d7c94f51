import type { DeviceStore } from '../../store/device-store.ts'
import { moduleWrite, type Write } from '../../store/write.ts'
import type { Step } from './restore.ts'

/** The request of a step. */
export function stepWrite(store: DeviceStore, slot: number, step: Step): Write {
  switch (step.endpoint) {
    case 'setPowerConfiguration':
      return moduleWrite(store, 'io', slot, step.endpoint, step.input)
    case 'setInputMode':
      return moduleWrite(store, 'io', slot, step.endpoint, step.input)
    case 'setOutputState':
      return moduleWrite(store, 'io', slot, step.endpoint, step.input)
    case 'setOutputPwm':
      return moduleWrite(store, 'io', slot, step.endpoint, step.input)
    case 'setAnalogThreshold':
      return moduleWrite(store, 'io', slot, step.endpoint, step.input)
    case 'setDigitalInterrupt':
      return moduleWrite(store, 'io', slot, step.endpoint, step.input)
    case 'setDigitalCounter':
      return moduleWrite(store, 'io', slot, step.endpoint, step.input)
  }
}
