import type { ModuleDescriptor } from '@slotwire/core'
import type { SlotApi } from '../slot/slot-api.ts'

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
