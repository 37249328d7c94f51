import { expectStep, waitStep } from '../expect/expect-step.ts'
import * as device from './device-steps.ts'
import * as fault from './fault-steps.ts'
import { repeat } from './repeat-step.ts'
import { request } from './request-step.ts'
import { setStep } from './set-step.ts'
import type { StepKind } from './step-kind.ts'
import * as wiring from './wiring-steps.ts'

/** All kinds of steps, in the order of the page about scenarios. */
export const stepKinds: readonly StepKind[] = [
  wiring.connect,
  wiring.wire,
  wiring.short,
  wiring.disconnect,
  setStep,
  wiring.press,
  device.plug,
  device.unplug,
  device.ambient,
  device.computer,
  device.rail,
  device.usbAttach,
  device.usbDetach,
  device.usbHost,
  fault.fault,
  fault.breakStep,
  fault.clearFaults,
  device.factoryReset,
  device.restart,
  device.killService,
  device.startService,
  request,
  repeat,
  waitStep,
  expectStep,
]
