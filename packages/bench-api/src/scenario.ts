import { choice, decimal, type ExtensionEndpoints, integer, listOf, named, objectOf, text } from '@slotwire/contract'
import { coreErrors } from '@slotwire/core'
import type { Failure, ModuleCatalog, ParseOptions, Scenario } from '@slotwire/scenario'
import { type ExtensionHandlers, extensionHandlers } from '@slotwire/service'
import { benchErrors } from '@slotwire/twin'
import { benchRead, benchWrite, type DeviceWithBench, ROOT, rounded, success } from './bench-endpoint.ts'
import type { ScenarioRunner } from './scenario-runner.ts'

/** Limit of problems in an error message. */
const MAX_PROBLEMS = 5
/** Steps that a scenario inside the service cannot contain. */
const SERVICE_STEPS: readonly string[] = ['kill_service', 'start_service']
const EXAMPLE = `steps:
  - connect: { pin: 3/1, to: { source: 24V, ohms: 10k } }
  - at: 2s
    short: 3/2
`

/** State of a scenario in replies. */
export const scenarioSchema = named(
  'Scenario',
  objectOf(
    {
      state: choice(['none', 'running', 'passed', 'failed', 'stopped'], {
        description: 'state of the last scenario; `none` before the first',
      }),
      name: text(),
      steps: integer({ description: 'number of steps' }),
      step: integer({ description: 'number of the current step, from 1' }),
      step_text: text({ description: 'the current step as written' }),
      at_ms: decimal({ unit: 'ms', description: 'twin time since the start: of the current step, or of the end' }),
      failures: listOf(
        named(
          'ScenarioFailure',
          objectOf({
            line: integer(),
            step_text: text(),
            at_ms: decimal({ unit: 'ms', description: 'twin time since the start' }),
            expected: text(),
            seen: text(),
          }),
        ),
      ),
      stopped_because: text({ description: 'why it stopped early' }),
    },
    { optional: ['name', 'steps', 'step', 'step_text', 'at_ms', 'failures', 'stopped_because'] },
  ),
)

export const scenarioEndpoints = {
  getScenario: {
    ...benchRead,
    path: `${ROOT}/scenario`,
    reply: scenarioSchema,
    summary: 'Shows the last scenario and its result',
  },
  startScenario: {
    ...benchWrite,
    path: `${ROOT}/scenario/start`,
    body: objectOf({ text: text({ description: 'a scenario in YAML, as for `slotwire scenario run`' }) }),
    errors: [benchErrors.scenarioRuns],
    summary: 'Runs a scenario on this device now',
    description:
      'Its times count from the start, in twin time. The device stays as it is: a scenario for another device is refused, and the seed is that of this device.',
    example: { text: EXAMPLE },
  },
  stopScenario: {
    ...benchWrite,
    path: `${ROOT}/scenario/stop`,
    errors: [benchErrors.noScenarioRuns],
    summary: 'Stops the running scenario; its effects stay',
  },
} as const satisfies ExtensionEndpoints

export function scenarioHandlers(runner: ScenarioRunner, { bench }: DeviceWithBench, catalog: ModuleCatalog): ExtensionHandlers {
  return extensionHandlers(scenarioEndpoints, {
    getScenario: () => shownScenario(runner),
    startScenario: async ({ body }) => {
      const names = new Map(bench.connections.map(({ id, kind }) => [bench.nameOf(id), kind]))
      const scenario = await parseForDevice(body.text, { catalog, names })
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

/** Throws `invalidField` with the lines of all problems. */
async function parseForDevice(source: string, options: ParseOptions): Promise<Scenario> {
  const scenario = await parse(source, options)
  const serviceStep = scenario.steps.find(({ kind }) => SERVICE_STEPS.includes(kind))
  if (serviceStep !== undefined) {
    const reason = `text needs slotwire scenario run: line ${serviceStep.line}: ${serviceStep.kind} would end the service that runs it`
    throw coreErrors.invalidField({ reason })
  }
  const key = otherDevice(scenario)
  if (key !== undefined)
    throw coreErrors.invalidField({ reason: `text asks for another device: leave out ${key}, or use slotwire scenario run` })
  return scenario
}

/** Loads the scenario package on first use, so that a device without scenarios starts faster and needs less memory. */
async function parse(source: string, options: ParseOptions): Promise<Scenario> {
  const { parseScenario, ScenarioError } = await import('@slotwire/scenario')
  try {
    return parseScenario(source, options)
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    const shown = error.problems.slice(0, MAX_PROBLEMS).map(({ line, message }) => `line ${line}: ${message}`)
    const more = error.problems.length - shown.length
    const reason = `text is not a scenario: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
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
