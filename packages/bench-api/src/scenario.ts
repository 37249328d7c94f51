import { choice, decimal, type ExtensionEndpoints, integer, listOf, objectOf, text } from '@slotwire/contract'
import { coreErrors } from '@slotwire/core'
import type { Failure, ModuleCatalog, Scenario } from '@slotwire/scenario'
import { type CheckedExtensionHandlers, extensionHandlers } from '@slotwire/service'
import { does, looks, ROOT, success } from './bench-endpoint.ts'
import { benchErrors } from './errors.ts'
import { rounded } from './figures.ts'
import type { ScenarioRunner } from './scenario-runner.ts'

/** Mistakes in a text that a refusal tells. */
const MOST_TOLD = 5
/** Kinds of steps that a scenario inside the service cannot have. */
const NOT_FROM_WITHIN: readonly string[] = ['kill_service', 'start_service']
const EXAMPLE = `steps:
  - connect: { pin: 3/1, to: { source: 24V, ohms: 10k } }
  - at: 2s
    short: 3/2
`

/** How a scenario does, as the bench shows it. */
export const scenarioSchema = objectOf(
  {
    state: choice(['none', 'running', 'passed', 'failed', 'stopped'], {
      description: 'of the last one; `none` before the first',
    }),
    name: text(),
    steps: integer({ description: 'how many it has' }),
    step: integer({ description: 'number of the one that runs, from 1' }),
    step_text: text({ description: 'that step, as it is written' }),
    at_ms: decimal({ unit: 'ms', description: 'twin time since it began: of that step, or how long all of it took' }),
    failures: listOf(
      objectOf({
        line: integer(),
        step_text: text(),
        at_ms: decimal({ unit: 'ms', description: 'twin time since the scenario began' }),
        expected: text(),
        seen: text(),
      }),
    ),
    stopped_because: text({ description: 'why it did not go on to its end' }),
  },
  { optional: ['name', 'steps', 'step', 'step_text', 'at_ms', 'failures', 'stopped_because'] },
)

export const scenarioEndpoints = {
  getScenario: { ...looks, path: `${ROOT}/scenario`, reply: scenarioSchema, summary: 'Tells how the last scenario does or did' },
  startScenario: {
    ...does,
    path: `${ROOT}/scenario/start`,
    body: objectOf({ text: text({ description: 'a scenario in YAML, as in a file for `slotwire scenario run`' }) }),
    errors: [benchErrors.scenarioRuns],
    summary: 'Runs a scenario on this device, from now on',
    description:
      'Its times count from the start, in the time of the device. The device is taken as it is: a scenario that asks for another one is refused, and the seed is that of the device.',
    example: { text: EXAMPLE },
  },
  stopScenario: {
    ...does,
    path: `${ROOT}/scenario/stop`,
    errors: [benchErrors.noScenarioRuns],
    summary: 'Stops the scenario that runs; what it has done stays',
  },
} as const satisfies ExtensionEndpoints

export function scenarioHandlers(runner: ScenarioRunner, catalog: ModuleCatalog): CheckedExtensionHandlers {
  return extensionHandlers(scenarioEndpoints, {
    getScenario: () => shownScenario(runner),
    startScenario: async ({ body }) => {
      const scenario = await parsed(body.text, catalog)
      if (runner.isRunning) throw benchErrors.scenarioRuns()
      runner.start(scenario)
      return success
    },
    stopScenario: async () => {
      if (!runner.isRunning) throw benchErrors.noScenarioRuns()
      await runner.stop()
      return success
    },
  })
}

/** Throws `invalidField` with the lines of what is wrong. */
async function parsed(source: string, catalog: ModuleCatalog): Promise<Scenario> {
  const scenario = await readable(source, catalog)
  const ending = scenario.steps.find(({ kind }) => NOT_FROM_WITHIN.includes(kind))
  if (ending !== undefined) {
    const reason = `text is for slotwire scenario run: line ${ending.line}: ${ending.kind} would end the service that runs it`
    throw coreErrors.invalidField({ reason })
  }
  const wishes = otherDevice(scenario)
  if (wishes !== undefined)
    throw coreErrors.invalidField({ reason: `text asks for another device: leave out ${wishes}, or use slotwire scenario run` })
  return scenario
}

/** The scenarios are loaded with the first of them: a device at which nobody runs one starts sooner, and is smaller. */
async function readable(source: string, catalog: ModuleCatalog): Promise<Scenario> {
  const { parseScenario, ScenarioError } = await import('@slotwire/scenario')
  try {
    return parseScenario(source, { catalog })
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    const told = error.problems.slice(0, MOST_TOLD).map(({ line, message }) => `line ${line}: ${message}`)
    const more = error.problems.length - told.length
    const reason = `text is no scenario: ${told.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
    throw coreErrors.invalidField({ reason }, { cause: error })
  }
}

function otherDevice({ device, modules, bus, powerMode }: Scenario): string | undefined {
  if (device !== 'default') return 'device'
  if (Object.keys(modules).length > 0) return 'modules'
  if (bus !== 'instant') return 'bus'
  return powerMode === 'strict' ? undefined : 'power_mode'
}

export function shownScenario({ report }: ScenarioRunner) {
  const { state, name, steps, progress, result, problem } = report
  const stopped = problem ?? result?.stopped
  return {
    state,
    ...(name === undefined ? {} : { name }),
    ...(steps === undefined ? {} : { steps }),
    ...(progress === undefined ? {} : { step: progress.step + 1, step_text: progress.text, at_ms: rounded(progress.atMs) }),
    ...(result === undefined ? {} : { at_ms: rounded(result.durationMs), failures: result.failures.map(shownFailure) }),
    ...(stopped === undefined ? {} : { stopped_because: stopped }),
  }
}

function shownFailure({ line, text: stepText, atMs, expected, seen }: Failure) {
  return { line, step_text: stepText, at_ms: rounded(atMs), expected, seen }
}
