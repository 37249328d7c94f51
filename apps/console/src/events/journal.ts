import { type Gap, isGap, type JournalRecord } from '@slotwire/client'

export type Entry = JournalRecord | Gap

/** Path of the leases. A client renews its own each some seconds. */
const LEASES = '/slotwire/leases/'

/** What the user wants to see. */
export interface Filter {
  /** Empty: all. */
  readonly kinds: readonly string[]
  /** Undefined: all, and what concerns the whole device. */
  readonly slot: number | undefined
}

/** One line of the journal. */
export interface Line {
  readonly entry: Entry
  readonly key: string
  /** Who had the lease of its slot, if it is a write and the lease is known. */
  readonly holder: string | undefined
}

/** Gaps are in every selection: they may hide what was looked for. Clients that keep their leases are in none. */
export function fits(entry: Entry, { kinds, slot }: Filter): boolean {
  if (isGap(entry)) return true
  if (isRenewal(entry)) return false
  return (kinds.length === 0 || kinds.includes(entry.kind)) && (slot === undefined || entry['slot'] === slot)
}

function isRenewal({ kind, method, path, status }: JournalRecord): boolean {
  return kind === 'write' && method === 'PUT' && status === 200 && String(path).startsWith(LEASES)
}

/** `12-345` as numbers: the start of the service, and the record in it. */
export function positionOf(id: unknown): readonly [number, number] {
  const [boot = 0, sequence = 0] = String(id).split('-').map(Number)
  return [boot, sequence]
}

export function isBefore(id: unknown, other: unknown): boolean {
  const [[boot, sequence], [otherBoot, otherSequence]] = [positionOf(id), positionOf(other)]
  return boot < otherBoot || (boot === otherBoot && sequence < otherSequence)
}

/** The entries as lines, oldest first. */
export function linesOf(entries: readonly Entry[]): readonly Line[] {
  const holders = new Map<unknown, string>()
  let last = ''
  return entries.map((entry) => {
    if (isGap(entry)) return { entry, key: `gap ${last}`, holder: undefined }
    const { id, kind, event, slot, status } = entry
    last = String(id)
    if (kind === 'lease') {
      if (event === 'granted' || event === 'taken-over') holders.set(slot, String(entry['holder']))
      else if (event !== 'safe-state') holders.delete(slot)
    }
    // While a slot is leased, a write of another client is refused.
    const isOwn = kind === 'write' && Number(status) < 400
    return { entry, key: last, holder: isOwn ? holders.get(slot) : undefined }
  })
}
