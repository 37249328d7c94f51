import { type Gap, isGap, type JournalRecord } from '@slotwire/client'

export type JournalEntry = JournalRecord | Gap

/** A module in the record of a lease. */
interface LeasedModule {
  readonly slot: number
  /** The lease that had it before. */
  readonly from?: { readonly holder: string }
  /** Of its reset. */
  readonly result?: string
}

/** The modules that the record of a lease is about; of others none. */
export function modulesIn({ modules }: JournalRecord): readonly LeasedModule[] {
  return (modules ?? []) as readonly LeasedModule[]
}

/** What the user wants to see. */
export interface JournalFilter {
  /** Empty: all. */
  readonly kinds: readonly string[]
  /** Undefined: all, and what concerns the whole device. */
  readonly slot: number | undefined
}

/** One line of the journal. */
export interface JournalLine {
  readonly entry: JournalEntry
  readonly key: string
  /** Who had the lease of its slot, if it is a write and the lease is known. */
  readonly holder: string | undefined
}

/** Gaps are in every selection: they may hide what was looked for. */
export function fits(entry: JournalEntry, { kinds, slot }: JournalFilter): boolean {
  if (isGap(entry)) return true
  const isAt = slot === undefined || entry['slot'] === slot || modulesIn(entry).some((module) => module.slot === slot)
  return isAt && (kinds.length === 0 || kinds.includes(entry.kind))
}

/** The entries as lines, oldest first. */
export function linesOf(entries: readonly JournalEntry[]): readonly JournalLine[] {
  const holders = new Map<unknown, string>()
  let last = ''
  return entries.map((entry) => {
    if (isGap(entry)) return { entry, key: `gap ${last}`, holder: undefined }
    const { id, kind, event, slot, status } = entry
    last = String(id)
    for (const module of modulesIn(entry))
      if (event === 'granted' || event === 'taken-over') holders.set(module.slot, String(entry['holder']))
      else if (event !== 'safe-state' && event !== 'off') holders.delete(module.slot)
    // While a slot is leased, a write of another client is refused.
    const isOwn = kind === 'write' && Number(status) < 400
    return { entry, key: last, holder: isOwn ? holders.get(slot) : undefined }
  })
}
