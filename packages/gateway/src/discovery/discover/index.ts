export { discover } from './discover.ts'
export type { DiscoverOptions } from './discover-options.ts'
export type { FoundDevice, FoundDoor, FoundService } from './found-device.ts'
