import { visible } from '@slotwire/core'

/** A mistake in the text of a scenario, with its place and the remedy. */
export interface ScenarioProblem {
  /** As passed to `parseScenario`. */
  readonly file: string
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
  /** What is wrong, and the remedy. */
  readonly message: string
}

/** A mistake in the format of editors: `sensor.yaml:4:7: …`. */
export function formatProblem({ file, line, column, message }: ScenarioProblem): string {
  return `${visible(file)}:${line}:${column}: ${visible(message)}`
}

/** An invalid scenario, with all mistakes (up to a limit) in the order of the text. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError'
  readonly problems: readonly ScenarioProblem[]

  constructor(problems: readonly ScenarioProblem[]) {
    super(problems.map(formatProblem).join('\n'))
    this.problems = problems
  }
}
