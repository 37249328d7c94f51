import type { ModuleDescriptor } from '@slotwire/core'
import type { SlotStatistics } from '../slot/slot-statistics.ts'

/**
 * What is the matter with a slot. `empty`: nothing is in it; `starting`: it is being opened; `usable`; `failed`: it could not be started;
 * `hung`, `lost`: it was usable until it did not answer, or its link broke (these three are tried again and again); `bootloader`: the
 * module is in bootloader mode; `foreign`: of a type that nobody drives; `incompatible`: its firmware is of another generation, or
 * its descriptor out of bounds (`descriptorFault`). A module in one of the last three states is left alone, and looked at again.
 */
export const SLOT_STATES = [
  'empty',
  'starting',
  'usable',
  'failed',
  'hung',
  'lost',
  'bootloader',
  'foreign',
  'incompatible',
] as const
export type SlotState = (typeof SLOT_STATES)[number]

/** A slot in which there is a module, or was one since the process began. */
export interface SlotInventory {
  readonly slot: number
  readonly state: SlotState
  /** Of the module in the slot, as read before it was opened; undefined: there is none, or it could not be read. */
  readonly descriptor: ModuleDescriptor | undefined
  /** Jobs that wait for the module. */
  readonly waitingJobs: number
  readonly statistics: Readonly<SlotStatistics>
}
