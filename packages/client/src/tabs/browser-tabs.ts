import type { TabMessage, Tabs } from './tabs.ts'

/** Web Locks, as far as they are used here. */
interface Locks {
  request(name: string, options: { readonly signal: AbortSignal }, run: () => Promise<void> | undefined): Promise<unknown>
}

/** Grows when the messages between tabs change: tabs of an older page keep a stream of their own. */
const MESSAGES_VERSION = 1
const NAME_BYTES = 8

/**
 * The tabs with this device and token, by Web Locks and a BroadcastChannel. Undefined without locks: in Node.js, and in
 * pages without TLS on another host. Each tab has its own stream then.
 */
export async function browserTabs(address: string, token: string | undefined): Promise<Tabs | undefined> {
  const { locks } = (globalThis as { readonly navigator?: { readonly locks?: Locks } }).navigator ?? {}
  if (locks === undefined || typeof BroadcastChannel === 'undefined') return undefined
  const name = `slotwire-${MESSAGES_VERSION}-${await hashOf(`${address} ${token ?? ''}`)}`
  const own = crypto.randomUUID()
  const closing = new AbortController()
  const channel = new BroadcastChannel(name)
  const closed = new Promise<void>((resolve) => closing.signal.addEventListener('abort', () => resolve()))
  const hold = (lock: string, run: () => Promise<void> | undefined): void => {
    locks.request(lock, { signal: closing.signal }, run).catch(() => undefined)
  }
  // Others see that this tab is gone when its lock is free.
  await new Promise<void>((resolve) =>
    hold(`${name}-${own}`, () => {
      resolve()
      return closed
    }),
  )
  const followed = new Set<string>()
  return {
    own,
    post: (message) => {
      if (!closing.signal.aborted) channel.postMessage(message)
    },
    onMessage: (listener) =>
      channel.addEventListener('message', (event) => listener((event as Event & { readonly data: TabMessage }).data)),
    onLead: (lead) =>
      hold(name, () => {
        lead()
        return closed
      }),
    onGone: (tab, listener) => {
      if (followed.has(tab)) return
      followed.add(tab)
      hold(`${name}-${tab}`, () => {
        followed.delete(tab)
        listener()
        return undefined
      })
    },
    close: () => {
      closing.abort()
      channel.close()
    },
  }
}

/** The token itself is in no name that other pages of the browser could list. */
async function hashOf(text: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(hash.subarray(0, NAME_BYTES), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
