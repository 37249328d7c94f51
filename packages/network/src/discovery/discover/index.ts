export { type DiscoverOptions, discover } from './discover.ts'
export type { FoundDevice, FoundDoor, FoundService } from './found-device.ts'
