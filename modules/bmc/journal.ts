import type { BodyOf, ReplyOf } from '@slotwire/contract'
import { type ModuleChange, type ModuleRecord, moduleJournal } from '@slotwire/service'
import { bmcContract } from './contract.ts'

type Endpoints = (typeof bmcContract)['endpoints']
const UNKNOWN = 'unknown' as const
type Unknown = typeof UNKNOWN

/** A feed is late when this share of the timeout has passed. */
export const LATE_SHARE = 0.75
/** The module counts from a command's arrival, and a restart is noticed late, in milliseconds. */
export const FIRED_TOLERANCE_MS = 250

interface BmcState {
  readonly watchdog: BodyOf<Endpoints['setWatchdog']> | Unknown
  readonly shutdown_timeout: number | Unknown
  /** As applied. */
  readonly usb_hub: ReplyOf<Endpoints['getUsbHub']> | Unknown
  /** Saved, but not applied yet, by name of the field in `usb_hub`. */
  readonly usb_hub_saved: Readonly<Record<string, 'enabled' | 'disabled'>> | Unknown
  readonly usb_bootloader: BodyOf<Endpoints['setUsbBootloader']> | Unknown
  /** When the watchdog was last set or fed, in the device's time; not shown. */
  readonly fedMs: number
}

/** Depends on what the module has saved: it is read. */
const unread = { watchdog: UNKNOWN, shutdown_timeout: UNKNOWN, usb_hub: UNKNOWN } as const
const usb = (fields: object): ModuleRecord => ({ kind: 'usb', ...fields })
const watchdog = (fields: object): ModuleRecord => ({ kind: 'watchdog', ...fields })
const setting = (isEnabled: boolean) => (isEnabled ? 'enabled' : 'disabled')

/** Timeout of the watchdog; 0: off, or unknown. */
function timeoutOf({ watchdog: known }: BmcState): number {
  return known === UNKNOWN ? 0 : known.timeout
}

function saved({ usb_hub_saved: before }: BmcState, name: string, isEnabled: boolean): Pick<BmcState, 'usb_hub_saved'> {
  return { usb_hub_saved: { ...(before === UNKNOWN ? {} : before), [name]: setting(isEnabled) } }
}

/** What is saved and not applied: a restart of the module applies it. */
function notApplied(all: BmcState['usb_hub_saved'], applied: Readonly<Record<string, unknown>>): BmcState['usb_hub_saved'] {
  return all === UNKNOWN ? all : Object.fromEntries(Object.entries(all).filter(([name, set]) => applied[name] !== set))
}

/** What follows from a write that succeeded; after one that failed, what it may have changed is not known. */
function unlessLost<Write extends { readonly reply: unknown }>(
  unknown: Partial<BmcState>,
  change: (state: BmcState, write: Write) => ModuleChange<BmcState>,
) {
  return (state: BmcState, write: Write) => (write.reply === undefined ? { state: unknown } : change(state, write))
}

/** What the journal shows of a bmc module: watchdog and USB. */
export const bmcJournal = moduleJournal(bmcContract, {
  initial: (before: BmcState | undefined): BmcState => ({
    ...unread,
    usb_hub_saved: before?.usb_hub_saved ?? {},
    usb_bootloader: { enabled: false },
    fedMs: 0,
  }),
  unknown: { ...unread, usb_bootloader: UNKNOWN },
  writes: {
    setWatchdog: unlessLost({ watchdog: UNKNOWN }, (_state, { body, atMs }) => ({
      state: { watchdog: body, fedMs: atMs },
      records: [watchdog({ event: 'set', timeout: body.timeout })],
    })),
    feedWatchdog: unlessLost({ watchdog: UNKNOWN }, (state, { atMs }) => {
      const [timeout, after] = [timeoutOf(state), Math.round(atMs - state.fedMs)]
      const isLate = timeout > 0 && after > timeout * LATE_SHARE
      return {
        state: { fedMs: atMs },
        records: isLate ? [watchdog({ event: 'fed_late', timeout, after_milliseconds: after })] : [],
      }
    }),
    setShutdownTimeout: unlessLost({ shutdown_timeout: UNKNOWN }, (_state, { body }) => ({
      state: { shutdown_timeout: body.timeout },
    })),
    setUsbHub: unlessLost({ usb_hub_saved: UNKNOWN }, (state, { body }) => ({
      state: saved(state, 'hub_state', body.state),
      records: [usb({ event: 'hub', enabled: body.state })],
    })),
    setUsbSlot: unlessLost({ usb_hub_saved: UNKNOWN }, (state, { body, parameters: { number } }) => ({
      state: saved(state, `port_slot_${number}`, body.state),
      records: [usb({ event: 'port', port_slot: number, enabled: body.state })],
    })),
    resetUsbHub: unlessLost({ usb_hub: UNKNOWN, usb_hub_saved: UNKNOWN }, () => ({
      state: { usb_hub: UNKNOWN, usb_hub_saved: {} },
      records: [usb({ event: 'applied' })],
    })),
    setUsbBootloader: unlessLost({ usb_bootloader: UNKNOWN }, (_state, { body }) => ({
      state: { usb_bootloader: body },
      records: [usb({ event: 'bootloader', ...body })],
    })),
  },
  readings: {
    getWatchdog: {
      change: (_state, { timeout, timeout_left, shutdown_timeout }, atMs) => ({
        state: { watchdog: { timeout }, shutdown_timeout, fedMs: atMs - (timeout - timeout_left) },
      }),
      isWanted: ({ watchdog: known, shutdown_timeout }) => known === UNKNOWN || shutdown_timeout === UNKNOWN,
    },
    getUsbHub: {
      change: ({ usb_hub_saved: all }, usb_hub) => ({ state: { usb_hub, usb_hub_saved: notApplied(all, usb_hub) } }),
      isWanted: ({ usb_hub }) => usb_hub === UNKNOWN,
    },
  },
  restarting: (state, atMs) => {
    const timeout = timeoutOf(state)
    const isFired = timeout > 0 && atMs - state.fedMs >= timeout - FIRED_TOLERANCE_MS
    return isFired ? [watchdog({ event: 'fired', timeout })] : []
  },
  shown: ({ fedMs: _, ...shown }) => shown,
})
