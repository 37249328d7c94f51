import type { ModuleDescriptor } from '@slotwire/core'
import type { SlotApi } from '../slot/slot.ts'
import type { SlotStatistics } from '../slot/slot-statistics.ts'

/**
 * The state of a slot. `empty`: no module; `starting`: being opened; `usable`; `failed`: could not be started; `hung`, `lost`: it stopped
 * answering, or its link broke (these three are retried); `bootloader`: the module is in bootloader mode; `foreign`: its type is not
 * driven; `incompatible`: its firmware generation is not supported, or its descriptor is out of bounds (`descriptorFault`). A module in
 * one of the last three states is left alone and checked regularly.
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

/** A slot with a module now, or at some time since the process began. */
export interface SlotInventory {
  readonly slot: number
  readonly state: SlotState
  /** The descriptor, as read before the module was opened; undefined without a module, or if it could not be read. */
  readonly descriptor: ModuleDescriptor | undefined
  /** Time since the module last answered, in milliseconds, if it does not any more. */
  readonly silentMs?: number | undefined
  /** Jobs that wait for the module. */
  readonly waitingJobs: number
  readonly statistics: Readonly<SlotStatistics>
}

/**
 * What happens in a rack. `restarting`, `up`: the whole device. `arrived`: a module became usable; `left`, `hung`: it no longer is, except
 * when the rack stops; `session`: it has a new session, its state may be lost; `reset`: it is in its initial state on request; `notified`: it
 * sent a notification.
 */
export type RackEvent =
  | { readonly type: 'restarting' | 'up' }
  | { readonly type: 'arrived'; readonly slot: SlotApi; readonly descriptor: ModuleDescriptor }
  | { readonly type: 'left' | 'hung' | 'session' | 'reset'; readonly slot: SlotApi }
  | { readonly type: 'notified'; readonly slot: SlotApi; readonly bytes: Uint8Array }
