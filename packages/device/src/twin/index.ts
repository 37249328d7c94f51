export { catalog, createBench, DEFAULT_LAYOUT, defaultChassis, isTwinMemory } from './default-device.ts'
export { applyRig, chassisFor, type Rig } from './rig.ts'
export { ask, type ProcessAnswer, type ProcessRequest, ServiceGone } from './service-process.ts'
export { createTwin, type Layout, type Twin, type TwinOptions } from './twin.ts'
