import { type Clock, ManualClock, SystemClock } from '@slotwire/core'
import { createTwin, type Twin } from '@slotwire/device/twin'
import { asFastAsPossible, inRealTime, type Pacer, runScenario, type Scenario, type ScenarioResult } from '@slotwire/scenario'
import { STALL_MS, type Transfer, type WaveformTarget } from '@slotwire/twin'
import type { ProgressBar, RunProgress } from './scenario-progress.ts'

/** Longest start of a device's modules, in ms of twin time. */
const START_DEADLINE_MS = 10_000

/** Result of a scenario, and how long it took. */
export interface TimedResult extends ScenarioResult {
  /** Real time, in ms. */
  readonly realMs: number
}

export interface ScenarioRunOptions {
  readonly realTime: boolean
  readonly progress: ProgressBar
  /** The system clock. */
  readonly clock: Clock
  /** Stops the running scenario and skips the rest. */
  readonly signal: AbortSignal
  readonly onTransfer: (transfer: Transfer) => void
  /** Gets the voltages of the pins that the scenario names. */
  readonly trace: WaveformTarget | undefined
  /** Runs one: on a new virtual device, or on a device that runs already. */
  readonly run: RunOne
  /** Called when a scenario ends. */
  readonly onResult: (result: TimedResult) => void
}

/** Runs scenarios in order. Skips the rest after a stop. */
export async function runScenarios(scenarios: readonly Scenario[], options: ScenarioRunOptions): Promise<void> {
  for (const [index, scenario] of scenarios.entries()) {
    if (options.signal.aborted) break
    options.onResult(await options.run(scenario, { ...options, number: index + 1, count: scenarios.length }))
  }
}

export type OneOptions = Omit<ScenarioRunOptions, 'onResult' | 'run'> & Pick<RunProgress, 'number' | 'count'>
export type RunOne = (scenario: Scenario, options: OneOptions) => Promise<TimedResult>

/** Runs a scenario on a new device. */
export async function runOne(scenario: Scenario, options: OneOptions): Promise<TimedResult> {
  const { clock, realTime, onTransfer } = options
  const startedMs = clock.now()
  const { time, pacer } = realTime ? atRealPace() : atOnce()
  const twin = await deviceOf(scenario, { clock: time, onTransfer })
  try {
    const result = await runOn(twin, scenario, pacer, options)
    return { ...result, realMs: clock.now() - startedMs }
  } finally {
    options.progress.erase()
    await twin.close()
  }
}

async function runOn(twin: Twin, scenario: Scenario, pacer: Pacer, options: OneOptions): Promise<ScenarioResult> {
  const { progress, number, count, signal, trace } = options
  const started = await pacer.settle(twin.start(), twin.clock.now() + START_DEADLINE_MS)
  if (started === undefined) throw new Error(`the device was not up ${START_DEADLINE_MS} ms after power-on`)
  const fromMs = twin.clock.now()
  progress.follow({ scenario, number, count, atMs: () => twin.clock.now() - fromMs })
  return runScenario(scenario, twin, { pacer, signal, trace })
}

function atOnce(): { readonly time: Clock; readonly pacer: Pacer } {
  const time = new ManualClock()
  return { time, pacer: asFastAsPossible(time) }
}

function atRealPace(): { readonly time: Clock; readonly pacer: Pacer } {
  const time = new SystemClock({ maxLatenessMs: STALL_MS })
  return { time, pacer: inRealTime(time) }
}

/** The device for a scenario, not yet switched on. It keeps no state after the scenario. */
function deviceOf(
  { seed, bus, powerMode, device, modules }: Scenario,
  options: { readonly clock: Clock; readonly onTransfer: (transfer: Transfer) => void },
): Promise<Twin> {
  return createTwin({ seed, bus, powerMode, rig: { device, modules }, ...options })
}
