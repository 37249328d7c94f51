import { coreErrors } from '@slotwire/core'
import type { Scenario, ScenarioProgress, ScenarioResult, ScenarioWorld } from '@slotwire/scenario'
import type { DeviceWithBench } from './bench-endpoint.ts'

/** State and result of the last scenario. */
export interface ScenarioReport {
  readonly state: 'none' | 'running' | 'passed' | 'failed' | 'stopped'
  readonly name?: string
  readonly steps?: number
  /** Progress of a running scenario. */
  readonly progress?: ScenarioProgress
  readonly result?: ScenarioResult
  /** Why it could not continue, if the scenario is not the cause. */
  readonly problem?: string
}

/** Runs scenarios on the device in its current state, one at a time. */
export class ScenarioRunner {
  #report: ScenarioReport = { state: 'none' }
  #running: AbortController | undefined
  #ended: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(private readonly device: DeviceWithBench) {}

  get report(): ScenarioReport {
    return this.#report
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  /** Starts at once. Must not be called while one runs. Throws `stopping` after `close`. */
  start(scenario: Scenario): void {
    if (this.#isClosed) throw coreErrors.stopping()
    const stop = new AbortController()
    this.#running = stop
    this.#report = { state: 'running', name: scenario.name, steps: scenario.steps.length }
    this.#ended = this.#run(scenario, stop.signal)
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

  /** Never rejects: an error is in the report. */
  async #run(scenario: Scenario, signal: AbortSignal): Promise<void> {
    const world = worldOf(this.device)
    const about = { name: scenario.name, steps: scenario.steps.length }
    const onProgress = (progress: ScenarioProgress): void => {
      this.#report = { ...about, state: 'running', progress }
    }
    try {
      const { inRealTime, runScenario } = await import('@slotwire/scenario')
      const result = await runScenario(scenario, world, { pacer: inRealTime(world.clock), onProgress, signal })
      this.#report = { ...about, state: stateOf(result, signal), result }
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      this.#report = { ...about, state: signal.aborted ? 'stopped' : 'failed', problem }
    } finally {
      this.#running = undefined
    }
  }
}

/** A scenario that runs inside the service cannot end the service. */
function worldOf(device: DeviceWithBench): ScenarioWorld {
  const refuse = () => Promise.reject(new RangeError('a scenario cannot end the service that runs it'))
  const request: ScenarioWorld['request'] = (one) => device.request(one)
  const { clock, bench, journal } = device
  return { clock, bench, journal, request, killService: refuse, startService: refuse }
}

function stateOf({ ok }: ScenarioResult, { aborted }: AbortSignal): 'passed' | 'failed' | 'stopped' {
  if (ok) return 'passed'
  return aborted ? 'stopped' : 'failed'
}
