import type { ModuleDescriptor } from '@slotwire/core'
import { descriptorFault } from '../slot/descriptor-bounds.ts'

/**
 * Whether two readings of one slot are of the same module, and of one that is as fit to be driven as before. What a driver changes of a
 * module that it drives, its power above all, says nothing.
 */
export function isSameModule(one: ModuleDescriptor, other: ModuleDescriptor): boolean {
  return identityOf(one) === identityOf(other)
}

function identityOf(descriptor: ModuleDescriptor): string {
  const { vendorProductId, serialCode, bootloaderState, firmware } = descriptor
  return JSON.stringify([vendorProductId, serialCode, bootloaderState, firmware, descriptorFault(descriptor)])
}
