import { catalog } from '@slotwire/device/twin'
import { parseScenario } from './parse-scenario.ts'
import { ScenarioError } from './read/scenario-error.ts'

/** What is wrong with a text: `line:column message`, in the order of the text. */
export function mistakesIn(text: string): readonly string[] {
  try {
    parseScenario(text, { file: 'a.yaml', catalog })
  } catch (error) {
    if (error instanceof ScenarioError) return error.problems.map(({ line, column, message }) => `${line}:${column} ${message}`)
    throw error
  }
  return []
}
