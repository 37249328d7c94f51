import { slotOf } from './read/rest-types.ts'
import type { Scenario, ScenarioProblem } from './scenario.ts'

/** Fields at the top that describe a device: one that runs already has its own. */
const OF_A_NEW_DEVICE = ['seed', 'bus', 'power_mode', 'device', 'modules']

/** What keeps a scenario from a device that runs already and has no bench: each with its place. */
export function mistakesElsewhere(
  { file, header, steps }: Scenario,
  { hasJournal }: { readonly hasJournal: boolean },
): readonly ScenarioProblem[] {
  const own = header
    .filter(({ key }) => OF_A_NEW_DEVICE.includes(key))
    .map(({ key, line, column }) => ({ file, line, column, message: `${key} is for a new virtual device: leave it out` }))
  // A step in a repeat is there for each round.
  const byPlace = new Map(steps.map((step) => [`${step.line}:${step.column}`, step]))
  const refused = [...byPlace.values()].flatMap(({ needs, kind, text, line, column }) => {
    if (needs === undefined || (needs === 'journal' && hasJournal)) return []
    const what = kind === 'expect' || kind === 'wait' ? text.replace(/( \(round \d+ of \d+\))+$/, '') : kind
    const lacks =
      needs === 'bench' ? 'needs the bench of a new virtual device' : 'needs /slotwire/events, which this server lacks'
    return [{ file, line, column, message: `${what} ${lacks}: leave it out, or run it without --url` }]
  })
  return [...own, ...refused].sort((a, b) => a.line - b.line || a.column - b.column)
}

/** What the requests of a scenario change. */
export function changesOf({ steps }: Scenario): { readonly any: boolean; readonly slots: readonly number[] } {
  const posts = steps.flatMap(({ request }) => (request?.method === 'POST' ? [request] : []))
  return { any: posts.length > 0, slots: [...new Set(posts.flatMap(({ path }) => slotOf(path) ?? []))].sort() }
}
