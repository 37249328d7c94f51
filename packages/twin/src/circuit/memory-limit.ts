import type { Branch } from './branch.ts'
import { isReactive } from './branch.ts'
import type { Hanging, WiredTerminal } from './terminal.ts'

/** What coils (1), motors (2) and motors without inductance (1) on one node may add up to: their memories are solved for together. */
const MOST_MEMORIES = 8

/** Throws `RangeError` if these terminals would have too many memories as one node, `hanging` with another branch. */
export function checkMemories(members: Iterable<WiredTerminal>, hanging?: Hanging, branch?: Branch): void {
  const others = [...members].flatMap((member) => [...member.elements]).filter((other) => other !== hanging)
  const count = [branch, ...others.map((other) => other.branch)].reduce((sum, each) => sum + memoriesOf(each), 0)
  if (count <= MOST_MEMORIES) return
  throw new RangeError(`coils (1) and motors (2) on one node are ${count}: at most ${MOST_MEMORIES}; take some away first`)
}

function memoriesOf(branch: Branch | undefined): number {
  return branch !== undefined && isReactive(branch) ? branch.gains.length : 0
}
