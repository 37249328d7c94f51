import type { ErrorKind } from '../client-error.ts'
import type { Message } from '../live/feed.ts'

/** An error on its way to another tab. */
export interface SentError {
  readonly message: string
  readonly kind: ErrorKind
  readonly status: number | undefined
}

/** What a tab wants from the stream: intervals in milliseconds, by resource as in `io/3/input/values`. */
export type Wants = Readonly<Record<string, number>>

/** What the leading tab sends to all tabs; `to`: only to this one. */
export type FromLeader = { readonly to?: string } & (
  | { readonly type: 'leads' }
  | { readonly type: 'open' }
  | { readonly type: 'message'; readonly message: Message }
  | { readonly type: 'state'; readonly isConnected: boolean; readonly error?: SentError }
  | { readonly type: 'failed'; readonly resource?: string; readonly error: SentError }
)
/** What the tabs of one token send to each other. */
export type TabMessage = FromLeader | { readonly type: 'wants'; readonly from: string; readonly wants: Wants }

/** The tabs of a browser that use the same device with the same token. One of them leads. */
export interface Tabs {
  /** Names this tab. */
  readonly own: string
  /** Sends to all other tabs. */
  post(message: TabMessage): void
  onMessage(listener: (message: TabMessage) => void): void
  /** Calls `lead` once this tab leads: it is the first, or the one that led is gone. */
  onLead(lead: () => void): void
  /** Calls `listener` when another tab is gone, even if it crashed. */
  onGone(tab: string, listener: () => void): void
  /** Leaves: another tab may lead. */
  close(): void
}
