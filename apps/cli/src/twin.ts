// Exports for tests of applications: `import { createTwin, ManualClock, source } from 'slotwire/twin'`; docs/guide/twin-in-code.md.
export { ManualClock, SystemClock } from '@slotwire/core'
export { createTwin, type Layout, type Twin, type TwinOptions } from '@slotwire/device/twin'
export type {
  ActiveFault,
  Bench,
  BenchPin,
  BenchRail,
  BenchSlot,
  BenchUsb,
  Connection,
  Element,
  Fault,
  NonVolatileMemory,
  PinTrace,
  TraceEdge,
  TraceSample,
  TraceWindow,
  Transfer,
  WaveformRange,
} from '@slotwire/twin'
export { elementKinds, FileMemory, faultKinds, formatCsv, formatVcd, VolatileMemory } from '@slotwire/twin'
export * from '@slotwire/twin/kinds'
