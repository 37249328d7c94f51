import { type ParseOptions, parseScenario } from './parse-scenario.ts'
import { ScenarioError } from './read/scenario-error.ts'
import type { Scenario } from './scenario.ts'

/** What a virtual device begins with: its modules, and actions of the bench in their order. */
export interface ParsedRig extends Pick<Scenario, 'device' | 'modules'> {
  readonly actions: readonly {
    readonly name: string
    readonly values: Readonly<Record<string, unknown>>
    /** For messages: `rig.yaml:4`. */
    readonly at: string
  }[]
}

/** Fields at the top of a rig. */
const FIELDS = ['name', 'description', 'values', 'device', 'modules', 'steps']

/** Parses a rig: a scenario of actions of the bench alone, without times. Throws only `ScenarioError`, with all mistakes. */
export function parseRig(text: string, options: ParseOptions): ParsedRig {
  const { file, device, modules, steps, header } = parseScenario(text, options)
  const problems = steps.flatMap(({ kind, action, atMs = 0, afterMs = 0, line, column }) => {
    const place = { file, line, column }
    if (action === undefined)
      return [{ ...place, message: `${kind} is no action of the bench: a rig has nothing else, run a scenario for it` }]
    return atMs + afterMs > 0 ? [{ ...place, message: 'a rig is there from the start: leave out at and after' }] : []
  })
  for (const { key, ...place } of header)
    if (!FIELDS.includes(key)) problems.push({ file, ...place, message: `a rig has only ${FIELDS.join(', ')}: leave out ${key}` })
  if (problems.length > 0) throw new ScenarioError(problems)
  return {
    device,
    modules,
    actions: steps.flatMap(({ action, line }) => (action === undefined ? [] : [{ ...action, at: `${file}:${line}` }])),
  }
}
