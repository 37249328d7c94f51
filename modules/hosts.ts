// Host parts of module types, by service name: one line each.
export { powerHost as power } from './power/host.ts'
