export * from './bench/actions/index.ts'
export { Bench, type BenchRail, type BenchUsb } from './bench/bench.ts'
export type { BenchPin, PinEnds } from './bench/bench-pin.ts'
export type { BenchSlot } from './bench/bench-slot.ts'
export * from './bench/bounds.ts'
export { benchErrors } from './bench/errors.ts'
export type { PinTrace, TraceEdge, TraceOptions, TraceSample, TraceWindow } from './bench/pin-trace.ts'
export * from './bench/snake-names.ts'
export * from './board/board.ts'
export * from './board/chassis.ts'
export * from './board/chassis-slot.ts'
export * from './board/compute-module.ts'
export * from './board/heat.ts'
export * from './board/host-process.ts'
export * from './board/rails.ts'
export * from './board/usb-hub.ts'
export * from './bus/module-end.ts'
export * from './circuit/index.ts'
export * from './faults/index.ts'
export * from './module/descriptor-commands.ts'
export * from './module/firmware.ts'
export * from './module/memory.ts'
export * from './module/virtual-module.ts'
export * from './settings/index.ts'
export { type WaveformFormatName, waveformFormats } from './waveform/formats.ts'
export { DIGITAL_BAND } from './waveform/signals.ts'
export {
  formatCsv,
  formatVcd,
  formatWaveforms,
  type WaveformRange,
  WaveformRecorder,
  type WaveformTarget,
} from './waveform/waveform-writer.ts'
