// Every kind of element: all that this file exports, by name.
export { button } from './button.ts'
export { diode, led, zener } from './diodes.ts'
export { capacitor, coil, motor, relay } from './reactive-parts.ts'
export { currentSource, ntc, open, potentiometer, pt100, resistor, short, source } from './resistors-and-sources.ts'
export { encoder, noise, recordedWave, sineWave, squareWave, triangleWave } from './waves.ts'
