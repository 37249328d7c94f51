// What a module type does for the whole device, by the name of its service: one line for each that has such a part.
export { powerHost as power } from './power/host.ts'
