import type { Caller } from '@slotwire/service'
import type { FakeModule } from '../../../driver/src/slot/fake-module.testkit.ts'
import { SAFE_STATE_MS } from './safe-state.ts'

/** After so long the driver opens a module again that it had to close, in milliseconds. */
const REOPEN_DELAY_MS = 500

/** A lease as its client knows it. Moments count events of all kinds; a lease ends at a moment or when its time is over. */
export interface Granted {
  readonly number: number
  readonly secret: string
  readonly onLapse: 'keep' | 'safe'
  readonly caller: Caller
  ttlMs: number
  expiresMs: number
  answered: number
  /** Moment of the end for each of its slots: given back, taken over or revoked. */
  readonly ends: Map<number, number>
  /** When it lapsed, in milliseconds, with the slots that it still had. */
  lapse:
    | { readonly atMs: number; readonly slots: readonly { readonly slot: number; readonly module: FakeModule | undefined }[] }
    | undefined
}

export interface Frame {
  readonly moment: number
  readonly atMs: number
  readonly slot: number
  readonly module: FakeModule
  readonly name: string
  readonly write: number
  acknowledged: boolean
}

export interface Write {
  readonly id: number
  readonly slot: number
  readonly secret: string | undefined
  readonly reach: 'device' | undefined
  /** When its turn had come and it was allowed; then a heartbeat may be sent before its first frame. */
  began: { readonly moment: number; readonly atMs: number } | undefined
}

/** What happened in one case. */
export interface Evidence {
  readonly leased: readonly Granted[]
  readonly frames: readonly Frame[]
  readonly writes: readonly Write[]
  readonly closes: readonly { readonly module: FakeModule; readonly atMs: number }[]
  readonly exchangeMs: number
}

export interface Ending {
  readonly end?: 'safe' | 'fell'
  readonly fault?: string
}

/** Writes that ran although a lease forbade it. */
export function forbiddenWrites({ frames, writes, leased }: Evidence): readonly string[] {
  const faults: string[] = []
  for (const { name, write: id, atMs, moment, slot: at } of frames) {
    const write = writes[id]
    if (name !== 'SET_VALUE' || write === undefined) continue
    for (const lease of leased) {
      for (const [slot, end] of lease.ends) {
        const isConcerned = slot === at || write.reach === 'device'
        const isHeld = moment > lease.answered && moment < end && atMs < lease.expiresMs
        if (isConcerned && isHeld && write.secret !== lease.secret) {
          faults.push(`write ${id} at ${atMs} ms: lease ${lease.number} holds slot ${slot}`)
        }
      }
    }
  }
  for (const { id, secret, began } of writes) {
    const lease = leased.find((one) => one.secret === secret)
    if (lease === undefined || began === undefined) continue
    const isOver = began.moment > Math.max(...lease.ends.values()) || began.atMs >= lease.expiresMs
    if (isOver) faults.push(`write ${id} at ${began.atMs} ms: lease ${lease.number} is over`)
  }
  return faults
}

/** How each module of a lapsed lease became safe, or why it is a fault. */
export function endsOf({ number, onLapse, lapse }: Granted, { frames, writes, closes, exchangeMs }: Evidence): readonly Ending[] {
  if (lapse === undefined || onLapse === 'keep') return []
  const { atMs } = lapse
  return lapse.slots.flatMap(({ slot, module }): readonly Ending[] => {
    if (module === undefined) return []
    const later = frames.filter((frame) => frame.module === module && frame.atMs >= atMs)
    const suspended = later.find(({ name, atMs: sentMs, acknowledged }) => {
      return name === 'MODE_SUSPEND' && acknowledged && sentMs + exchangeMs <= atMs + SAFE_STATE_MS
    })
    const begun = writes.find(({ slot: at, began }) => {
      return at === slot && began !== undefined && began.atMs > atMs && began.moment < (suspended?.moment ?? 0)
    })
    if (begun !== undefined) return [{ fault: `write ${begun.id} began before lapsed lease ${number} was safe` }]
    if (suspended !== undefined) return [{ end: 'safe' }]
    // A module that does not reset is closed, which suspends it, and gets no more heartbeats.
    const close = closes.find((one) => one.module === module && one.atMs > atMs - 1 && one.atMs <= atMs + SAFE_STATE_MS)
    const closedMs = close?.atMs ?? Number.NEGATIVE_INFINITY
    const early = later.find((frame) => frame.atMs > closedMs && frame.atMs < closedMs + REOPEN_DELAY_MS)
    if (close === undefined || early !== undefined)
      return [{ fault: `slot ${slot} is not safe: lease ${number} lapsed at ${atMs} ms` }]
    return [{ end: 'fell' }]
  })
}
