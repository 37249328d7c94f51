import {
  choice,
  decimal,
  type ExtensionEndpoints,
  integer,
  listOf,
  named,
  objectOf,
  text,
  type ValueOf,
} from '@slotwire/contract'
import { coreErrors, messageOf } from '@slotwire/core'
import type { Failure, ModuleCatalog, ParseOptions, Scenario, ScenarioProgress, ScenarioWorld } from '@slotwire/scenario'
import { type ExtensionHandlers, extensionHandlers } from '@slotwire/service'
import { benchErrors, benchWrite, BENCH_ROOT as ROOT } from '@slotwire/twin'
import { benchRead, type DeviceWithBench, rounded, success } from './bench-endpoint.ts'

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
    getScenario: () => runner.shown,
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

/** Runs scenarios on the device in its current state, one at a time. */
export class ScenarioRunner {
  #shown: ValueOf<typeof scenarioSchema> = { state: 'none' }
  #running: AbortController | undefined
  #ended: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(private readonly device: DeviceWithBench) {}

  /** State and result of the last scenario. */
  get shown(): ValueOf<typeof scenarioSchema> {
    return this.#shown
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  /** Starts at once. Must not be called while one runs. Throws `stopping` after `close`. */
  start(scenario: Scenario): void {
    if (this.#isClosed) throw coreErrors.stopping()
    this.#running = new AbortController()
    this.#ended = this.#run(scenario, this.#running.signal)
  }

  /** Stops the running scenario; resolves when it has ended. */
  async stop(): Promise<void> {
    this.#running?.abort(new Error('the scenario was stopped'))
    await this.#ended
  }

  /** Stops the running scenario; no other can start. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.stop()
  }

  /** Never rejects: an error is shown. */
  async #run(scenario: Scenario, signal: AbortSignal): Promise<void> {
    const about = { name: scenario.name, steps: scenario.steps.length }
    this.#shown = { state: 'running', ...about }
    const onProgress = ({ step, text: stepText, atMs }: ScenarioProgress): void => {
      this.#shown = { state: 'running', ...about, step: step + 1, step_text: stepText, at_ms: rounded(atMs) }
    }
    const end = (isPassed: boolean, others: Partial<typeof this.shown>): void => {
      this.#shown = { state: isPassed ? 'passed' : signal.aborted ? 'stopped' : 'failed', ...about, ...others }
    }
    const { clock } = this.device
    try {
      const { inRealTime, runScenario } = await import('@slotwire/scenario')
      const result = await runScenario(scenario, worldOf(this.device), { pacer: inRealTime(clock), onProgress, signal })
      const because = result.stopped === undefined ? {} : { stopped_because: result.stopped }
      end(result.ok, { at_ms: rounded(result.durationMs), failures: result.failures.map(shownFailure), ...because })
    } catch (error) {
      end(false, { stopped_because: messageOf(error) })
    } finally {
      this.#running = undefined
    }
  }
}

/** A scenario that runs inside the service cannot end the service. */
function worldOf(device: DeviceWithBench): ScenarioWorld {
  const refuse = () => Promise.reject(new RangeError('a scenario cannot end the service that runs it'))
  const { clock, bench, journal } = device
  return { clock, bench, journal, request: (one) => device.request(one), killService: refuse, startService: refuse }
}

function shownFailure({ line, text: stepText, atMs, expected, seen }: Failure) {
  return { line, step_text: stepText, at_ms: rounded(atMs), expected, seen }
}
