import { dataBytes } from './encode.ts'
import { type ResourceRecord, typeCode } from './resource-record.ts'

/**
 * Two hosts ask for the same name at once: who has it? Positive: `a`; negative: `b`; 0: both say the same, there is nothing to decide.
 * RFC 6762 section 8.2.1: the records are sorted and compared one by one, the lexicographically later one wins, or the longer list.
 */
export function tieBreak(a: readonly ResourceRecord[], b: readonly ResourceRecord[]): number {
  const [ours, theirs] = [sortable(a), sortable(b)]
  for (const [index, own] of ours.entries()) {
    const other = theirs[index]
    if (other === undefined) return 1
    const order = Buffer.compare(own, other)
    if (order !== 0) return order
  }
  return ours.length - theirs.length
}

/** Type, then what is said, as bytes that sort. */
function sortable(records: readonly ResourceRecord[]): readonly Buffer[] {
  return records
    .map((record) => {
      const code = typeCode(record.data)
      return Buffer.from([code >> 8, code & 0xff, ...dataBytes(record)])
    })
    .sort((a, b) => Buffer.compare(a, b))
}
