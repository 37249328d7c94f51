import { button } from './button.ts'
import { capacitor } from './capacitor.ts'
import { coil } from './coil.ts'
import { currentSource } from './current-source.ts'
import { diode } from './diode.ts'
import type { Element } from './element.ts'
import { encoder } from './encoder.ts'
import { led } from './led.ts'
import { motor } from './motor.ts'
import { ntc } from './ntc.ts'
import { open } from './open.ts'
import { potentiometer } from './potentiometer.ts'
import { pt100 } from './pt100.ts'
import { relay } from './relay.ts'
import { resistor } from './resistor.ts'
import { short } from './short.ts'
import { source } from './source.ts'
import { noise } from './waves/noise.ts'
import { recordedWave } from './waves/recorded-wave.ts'
import { sineWave } from './waves/sine-wave.ts'
import { squareWave } from './waves/square-wave.ts'
import { triangleWave } from './waves/triangle-wave.ts'
import { zener } from './zener.ts'

export { type ButtonChange, type ButtonOptions, PRESS_DURATION_MS } from './button.ts'
export type { CapacitorOptions } from './capacitor.ts'
export type { CoilOptions } from './coil.ts'
export type { CurrentSourceOptions } from './current-source.ts'
export type { DiodeOptions } from './diode.ts'
export { type Between, type Element, type ElementKind, IDEAL_OHMS } from './element.ts'
export type { EncoderOptions } from './encoder.ts'
export type { LedOptions } from './led.ts'
export type { MotorOptions } from './motor.ts'
export type { NtcOptions } from './ntc.ts'
export type { PotentiometerOptions } from './potentiometer.ts'
export type { Pt100Options } from './pt100.ts'
export type { RelayOptions } from './relay.ts'
export type { ResistorOptions } from './resistor.ts'
export type { SourceOptions } from './source.ts'
export type { NoiseOptions } from './waves/noise.ts'
export type { RecordedWaveOptions } from './waves/recorded-wave.ts'
export type { SquareWaveOptions } from './waves/square-wave.ts'
export type { TriangleWaveOptions } from './waves/triangle-wave.ts'
export type { Levels, WaveOptions } from './waves/wave-options.ts'
export type { ZenerOptions } from './zener.ts'
export {
  button,
  capacitor,
  coil,
  currentSource,
  diode,
  encoder,
  led,
  motor,
  noise,
  ntc,
  open,
  potentiometer,
  pt100,
  recordedWave,
  relay,
  resistor,
  short,
  sineWave,
  source,
  squareWave,
  triangleWave,
  zener,
}

/** All kinds of elements by name. */
export const elementKinds = {
  button,
  capacitor,
  coil,
  currentSource,
  diode,
  encoder,
  led,
  motor,
  noise,
  ntc,
  open,
  potentiometer,
  pt100,
  recordedWave,
  relay,
  resistor,
  short,
  sineWave,
  source,
  squareWave,
  triangleWave,
  zener,
} as const

/** Makes an element from a kind and unchecked settings. Throws `RangeError` that names the invalid setting and its bounds. */
export function elementFrom(kind: string, settings: Readonly<Record<string, unknown>>): Element {
  const found = Object.values(elementKinds).find((each) => each.kind === kind)
  if (found === undefined) throw new RangeError(`there is no element ${kind}: ${Object.keys(elementKinds).join(', ')}`)
  return found.from(settings)
}
