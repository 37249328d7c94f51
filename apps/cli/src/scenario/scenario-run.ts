import { type Clock, ManualClock, SystemClock } from '@slotwire/core'
import { createTwin } from '@slotwire/device/twin'
import { asFastAsPossible, inRealTime, runScenario, type Scenario, type ScenarioResult } from '@slotwire/scenario'
import { STALL_MS, type Transfer, type WaveformTarget } from '@slotwire/twin'
import type { ProgressBar, RunProgress } from './scenario-progress.ts'

/** Longest start of a device's modules, in ms of twin time. */
const START_DEADLINE_MS = 10_000

/** Result of a scenario, and how long it took. */
export interface TimedResult extends ScenarioResult {
  /** Real time, in ms. */
  readonly realMs: number
}

export interface ScenarioRunOptions extends Pick<RunProgress, 'number' | 'count'> {
  readonly realTime: boolean
  readonly progress: ProgressBar
  /** The system clock. */
  readonly clock: Clock
  /** Stops the running scenario. */
  readonly signal: AbortSignal
  readonly onTransfer: (transfer: Transfer) => void
  /** Gets the voltages of the pins that the scenario names. */
  readonly trace: WaveformTarget | undefined
}

/** Runs a scenario: on a new virtual device, or on a device that runs already. */
export type RunOne = (scenario: Scenario, options: ScenarioRunOptions) => Promise<TimedResult>

function realPace() {
  const time = new SystemClock({ maxLatenessMs: STALL_MS })
  return { time, pacer: inRealTime(time) }
}

function highestPace() {
  const time = new ManualClock()
  return { time, pacer: asFastAsPossible(time) }
}

/** Runs a scenario on a new device, which keeps no state after it. */
export async function runOne(scenario: Scenario, options: ScenarioRunOptions): Promise<TimedResult> {
  const { clock, realTime, onTransfer, progress, number, count, signal, trace } = options
  const { seed, bus, powerMode, device, modules } = scenario
  const startedMs = clock.now()
  const { time, pacer } = realTime ? realPace() : highestPace()
  const twin = await createTwin({ seed, bus, powerMode, rig: { device, modules }, clock: time, onTransfer })
  try {
    const started = await pacer.settle(twin.start(), time.now() + START_DEADLINE_MS)
    if (started === undefined) throw new Error(`the device was not up ${START_DEADLINE_MS} ms after power-on`)
    const fromMs = time.now()
    progress.follow({ scenario, number, count, atMs: () => time.now() - fromMs })
    const result = await runScenario(scenario, twin, { pacer, signal, trace })
    return { ...result, realMs: clock.now() - startedMs }
  } finally {
    progress.erase()
    await twin.close()
  }
}
