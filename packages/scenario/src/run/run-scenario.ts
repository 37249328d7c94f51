import { messageOf } from '@slotwire/core'
import { type Bench, inSnakeNames, type PinTrace, WaveformRecorder, type WaveformTarget } from '@slotwire/twin'
import type { PinPlace } from '../read/field-types.ts'
import { chartOf, type PinWaveform, WAVEFORM_COLUMNS } from '../report/chart.ts'
import type { Scenario, ScenarioStep } from '../scenario.ts'
import type { ScenarioWorld } from '../world.ts'
import type { Pacer } from './pacer.ts'
import type { Failure, ScenarioProgress, ScenarioResult, StepOutcome } from './result.ts'
import { Run, StepFailure } from './run.ts'

/** A chart begins before the last action on its pin: by this share of its length, at least by BEFORE_MS. */
const BEFORE_SHARE = 0.15
const BEFORE_MS = 20

/** Records pins from the start, so that a failure can show their waveform: an alert may change a pin before an expectation reads it. */
class PinTraces {
  readonly #startMs: number
  readonly #pins = new Map<string, { readonly place: PinPlace; readonly trace: PinTrace; lastActionMs: number | undefined }>()

  /** Without a bench it records nothing. */
  constructor(
    private readonly bench: Bench | undefined,
    private readonly now: () => number,
  ) {
    this.#startMs = now()
  }

  /** Starts recording a pin. */
  watch(place: PinPlace): void {
    if (this.bench === undefined || this.#pins.has(place.name)) return
    const trace = this.bench.pin(place.slot, place.pin).record()
    this.#pins.set(place.name, { place, trace, lastActionMs: undefined })
  }

  /** Marks the time of an action on a pin. */
  markAction(place: PinPlace): void {
    const watched = this.#pins.get(place.name)
    if (watched !== undefined) watched.lastActionMs = this.now()
  }

  /** Recorded pins of a slot. */
  inSlot(slot: number): readonly PinPlace[] {
    return [...this.#pins.values()].map(({ place }) => place).filter((place) => place.slot === slot)
  }

  /** Waveforms of recorded pins over the same time, since shortly before the last action on each; none if no time has passed. */
  waveforms(places: readonly PinPlace[]): readonly PinWaveform[] {
    const watched = places.flatMap((place) => this.#pins.get(place.name) ?? [])
    const toMs = this.now()
    const begins = watched.map(({ lastActionMs = this.#startMs }) => {
      const beforeMs = Math.max((toMs - lastActionMs) * BEFORE_SHARE, BEFORE_MS)
      return lastActionMs - beforeMs
    })
    const fromMs = Math.max(Math.min(...begins), ...watched.map(({ trace }) => trace.sinceMs))
    if (fromMs >= toMs) return []
    return watched.map(({ place, trace }) => ({
      pin: place.name,
      fromMs: fromMs - this.#startMs,
      toMs: toMs - this.#startMs,
      columns: trace.samples(fromMs, toMs, WAVEFORM_COLUMNS).map(({ lowVolts, highVolts }) => ({ lowVolts, highVolts })),
    }))
  }

  /** Stops all recordings. */
  close(): void {
    for (const { trace } of this.#pins.values()) trace.stop()
  }
}

export interface RunOptions {
  /** How time passes: `asFastAsPossible(clock)` or `inRealTime(clock)`. */
  readonly pacer: Pacer
  /** Called when a step begins. */
  readonly onProgress?: (progress: ScenarioProgress) => void
  /** Stops the scenario; the result contains the reason. */
  readonly signal?: AbortSignal
  /** Gets the voltages and levels of all pins that the scenario names, from its start. If `write` throws, the scenario rejects at its end. */
  readonly trace?: WaveformTarget | undefined
}

/** Limit of failures in a result. */
const MAX_FAILURES = 20
/** Limit of waveforms of one failure. */
const MAX_CHARTS = 3

/**
 * Runs a scenario on a device that is switched on. A failed step does not stop it, unless the step says so. Rejects only for errors that
 * the scenario does not cause.
 */
export async function runScenario(scenario: Scenario, world: ScenarioWorld, options: RunOptions): Promise<ScenarioResult> {
  return new Runner(scenario, world, options).run()
}

class Runner {
  readonly #run: Run
  readonly #traces: PinTraces
  readonly #recorder: WaveformRecorder | undefined
  readonly #outcomes: StepOutcome[] = []
  readonly #failures: Failure[] = []
  #stopped: string | undefined

  constructor(
    private readonly scenario: Scenario,
    world: ScenarioWorld,
    private readonly options: RunOptions,
  ) {
    this.#run = new Run(world, options.pacer, options.signal)
    this.#traces = new PinTraces(world.bench, () => world.clock.now())
    const { trace } = options
    const pinOf = ({ slot, pin }: PinPlace) => this.#run.bench.pin(slot, pin)
    this.#recorder = trace && new WaveformRecorder(pinsOf(scenario).map(pinOf), trace)
  }

  async run(): Promise<ScenarioResult> {
    try {
      return await this.#runAll()
    } finally {
      this.#run.end()
      this.#traces.close()
      await this.#recorder?.close()
    }
  }

  async #runAll(): Promise<ScenarioResult> {
    const { file, name, description, seed, steps, untilMs } = this.scenario
    for (const pin of pinsOf(this.scenario)) this.#traces.watch(pin)
    await this.#unlessAborted(() => this.#run.begin(steps))
    for (const [index, step] of steps.entries()) await this.#step(index, step)
    await this.#unlessAborted(async () => {
      await this.#run.waitFor(untilMs)
      await this.#run.finishBackground()
    })
    this.#addBackgroundErrors()
    const failed = this.#outcomes.filter(({ state }) => state === 'failed').length
    return {
      scenario: { file, name, description, seed: this.#run.world.bench && seed },
      ok: failed === 0 && this.#stopped === undefined,
      durationMs: this.#run.nowMs,
      steps: this.#outcomes,
      failures: this.#failures.sort((a, b) => a.step - b.step).slice(0, MAX_FAILURES),
      failureCount: failed,
      stopped: this.#stopped,
    }
  }

  async #step(index: number, step: ScenarioStep): Promise<void> {
    const { kind, line, column, text } = step
    const outcome = { kind, line, column, text }
    this.#run.step = index
    await this.#unlessAborted(() => this.#waitFor(step))
    const beganMs = this.#run.nowMs
    if (this.#stopped !== undefined) {
      this.#outcomes.push({ ...outcome, state: 'skipped', beganMs, endedMs: beganMs })
      return
    }
    this.options.onProgress?.({ step: index, steps: this.scenario.steps.length, atMs: beganMs, text })
    let failure: Failure | undefined
    if (kind !== 'expect' && kind !== 'wait') for (const pin of step.pins) this.#traces.markAction(pin)
    try {
      await step.run(this.#run)
    } catch (error) {
      if (this.options.signal?.aborted) this.#stopped = reasonOf(this.options.signal)
      else failure = this.#failed(index, step, error)
    }
    await this.#recorder?.flush()
    const state = failure === undefined ? (this.#stopped === undefined ? 'passed' : 'skipped') : 'failed'
    this.#outcomes.push({ ...outcome, state, beganMs, endedMs: this.#run.nowMs })
    if (failure !== undefined && step.stops === true) this.#stopped = `the step in line ${line} failed, and stopped the scenario`
  }

  #failed(index: number, step: ScenarioStep, error: unknown): Failure {
    const { line, column, text } = step
    const waveforms = this.#waveformsOf(step)
    const { expected, seen } = error instanceof StepFailure ? error : { expected: 'the step to succeed', seen: refusal(error) }
    const failure = {
      step: index,
      file: this.scenario.file,
      line,
      column,
      text,
      atMs: this.#run.nowMs,
      expected,
      seen,
      charts: waveforms.map(chartOf),
      waveforms,
    }
    this.#failures.push(failure)
    return failure
  }

  /** Waveforms of the pins of a step. For a step about a slot: of the pins of that slot that the scenario uses. */
  #waveformsOf({ pins, slot }: ScenarioStep): readonly PinWaveform[] {
    if (this.#failures.length >= MAX_FAILURES) return []
    const concerned = pins.length > 0 || slot === undefined ? pins : this.#traces.inSlot(slot)
    return this.#traces.waveforms(concerned.slice(0, MAX_CHARTS))
  }

  #waitFor({ atMs, afterMs }: ScenarioStep): Promise<void> {
    return afterMs === undefined ? this.#run.waitUntil(atMs ?? 0) : this.#run.waitFor(afterMs)
  }

  #addBackgroundErrors(): void {
    for (const { step: index, error } of this.#run.backgroundErrors) {
      const step = this.scenario.steps[index]
      const outcome = this.#outcomes[index]
      if (step === undefined || outcome === undefined) continue
      this.#failed(index, step, error)
      this.#outcomes[index] = { ...outcome, state: 'failed' }
    }
  }

  async #unlessAborted(work: () => Promise<void>): Promise<void> {
    if (this.#stopped !== undefined) return
    try {
      await work()
    } catch (error) {
      const { signal } = this.options
      if (signal?.aborted !== true) throw error
      this.#stopped = reasonOf(signal)
    }
  }
}

/** The pins that the steps name, each once, in the order of their slots and numbers. */
export function pinsOf({ steps }: Pick<Scenario, 'steps'>): readonly PinPlace[] {
  const byName = new Map(steps.flatMap(({ pins }) => pins).map((pin) => [pin.name, pin]))
  return [...byName.values()].sort((a, b) => a.slot - b.slot || a.pin - b.pin)
}

/** The reason of the abort, if there is one. */
function reasonOf({ reason }: AbortSignal): string {
  return reason instanceof Error && reason.name !== 'AbortError' ? reason.message : 'it was stopped'
}

/** The message of an error from the bench or the device, with names as in YAML. */
function refusal(error: unknown): string {
  return inSnakeNames(messageOf(error))
}
