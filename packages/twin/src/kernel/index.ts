export { KernelSide, type TrafficObserver } from './kernel-side.ts'
export { type FarEnd, KernelTree, type KernelTreeOptions, type TreeModule, type TreeSlot } from './kernel-tree.ts'
export { launcher } from './launcher.ts'
export { Pty } from './pty.ts'
