import type { ModuleCatalog } from './catalog.ts'
import { parseScenario } from './parse-scenario.ts'
import { ScenarioError } from './scenario.ts'
import { specified } from './specified.testkit.ts'

/** All mistakes in a text as `line:column message`, in the order of the text. */
export function mistakesIn(text: string, types: ModuleCatalog = specified): readonly string[] {
  try {
    parseScenario(text, { file: 'a.yaml', catalog: types })
  } catch (error) {
    if (error instanceof ScenarioError) return error.problems.map(({ line, column, message }) => `${line}:${column} ${message}`)
    throw error
  }
  return []
}
