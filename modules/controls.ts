// What one word sets, of each module type that has such settings, by the name of its service: one line for each.
export { ioControls as io } from './io/controls.ts'
export { powerControls as power } from './power/controls.ts'
