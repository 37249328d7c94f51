import { closeSync, writeFileSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { FrameRecorder, formatJunit, formatReport, pinsOf, type Scenario } from '@slotwire/scenario'
import { type Transfer, type WaveformFormatName, waveformFormats } from '@slotwire/twin'
import type { CommandContext } from '../terminal/command-context.ts'
import { cannotBeWritten, OutputFile, openForWriting } from '../terminal/files.ts'
import { type Colors as AllColors, colors as ownColors } from '../terminal/text.ts'
import { USAGE_EXIT_CODE, UsageError } from '../terminal/usage-error.ts'
import { ReportFolder } from './report-folder.ts'
import { formatMistake, type ReadFiles, readScenarios, type Selection } from './scenario-files.ts'
import { ProgressBar, type ProgressTerminal } from './scenario-progress.ts'
import { type RunOne, runOne, type TimedResult } from './scenario-run.ts'

/** Exit code after a failed expectation. */
export const FAILED_EXIT_CODE = 1
/** Exit code after a stop signal. */
export const STOPPED_EXIT_CODE = 130

export interface ScenarioContext extends Omit<CommandContext, 'terminal'> {
  /** Terminal for the progress bar; undefined: no progress bar. */
  readonly terminal: ProgressTerminal | undefined
}

export interface RunFilesOptions extends Selection {
  readonly json: boolean
  readonly realTime: boolean
  readonly junit?: string
  readonly record?: string
  readonly trace?: string
  readonly report?: string
}

/** `slotwire scenario run`. */
export async function runFiles(files: readonly string[], options: RunFilesOptions, context: ScenarioContext): Promise<void> {
  const checked = checkedOptions(options)
  await runOnce(await readScenarios(files, options), checked, context, () => {
    const stop = new AbortController()
    void context.stopped().then(() => stop.abort(new Error('it was stopped')))
    return stop.signal
  })
}

/** Checked options, with the folder for reports. */
export interface CheckedOptions extends RunFilesOptions {
  readonly folder: ReportFolder | undefined
}

/** Checks options before anything runs, and makes the folder of `--report`. Throws `UsageError`. */
export function checkedOptions(options: RunFilesOptions): CheckedOptions {
  const { junit, record, trace, report } = options
  if (trace !== undefined) traceFormatOf(trace)
  const outputs = Object.entries({ junit, record, trace }).filter((entry): entry is [string, string] => entry[1] !== undefined)
  outputs.forEach(([option, file], index) => {
    const other = outputs.slice(0, index).find(([, earlier]) => resolve(earlier) === resolve(file))
    if (other !== undefined) throw new UsageError(`--${other[0]} and --${option} name the same file, ${file}: give each its own`)
  })
  return { ...options, folder: report === undefined ? undefined : new ReportFolder(report) }
}

/** Runs scenarios that were read, or prints their mistakes. `begin` is called when they start: its signal stops them. */
export async function runOnce(
  read: ReadFiles,
  options: CheckedOptions,
  context: ScenarioContext,
  begin: () => AbortSignal,
  run: RunOne = runOne,
): Promise<void> {
  if (read.scenarios.length > 1) {
    const what = options.record === undefined ? options.trace && '--trace keeps the pins' : '--record keeps the frames'
    if (what !== undefined) throw new UsageError(`${what} of one scenario: run them one by one, or leave it out`)
  }
  const mistakes = [...read.mistakes, ...(options.trace === undefined ? [] : withoutPins(read))]
  // Report mistakes before anything runs: a run may take an hour.
  if (mistakes.length > 0) {
    printMistakes({ mistakes }, context)
    context.setExitCode(USAGE_EXIT_CODE)
    return
  }
  const { junit } = options
  if (junit !== undefined) closeSync(openForWriting(junit, '--junit'))
  const results: TimedResult[] = []
  try {
    await runAll(read.scenarios, results, options, context, begin(), run)
  } finally {
    // If one scenario cannot run at all, the results of the others are still written.
    if (junit !== undefined) writeJunit(junit, results)
  }
  const count = read.scenarios.length
  context.print(options.json ? jsonOf(results, count) : summaryOf(results, count))
}

function withoutPins({ scenarios }: ReadFiles): ReadFiles['mistakes'] {
  return scenarios
    .filter((scenario) => pinsOf(scenario).length === 0)
    .map(({ file }) => ({ file, message: 'names no pin, so --trace has nothing to write: leave it out' }))
}

/** Largest trace, in bytes: viewers read all of it into their memory. */
const MAX_TRACE_BYTES = 268_435_456

/** Runs scenarios in order, and prints each result immediately. Skips the rest after a stop. */
async function runAll(
  scenarios: readonly Scenario[],
  results: TimedResult[],
  options: CheckedOptions,
  context: ScenarioContext,
  outside: AbortSignal,
  run: RunOne,
): Promise<void> {
  const { realTime, folder, json } = options
  const failed = new AbortController()
  const failure = (what: string) => () => failed.abort(new Error(`the ${what} file cannot be written`))
  folder?.begin()
  const record = options.record === undefined ? undefined : new OutputFile(options.record, '--record', failure('record'))
  const recorder = record && new FrameRecorder(record.write)
  const progress = new ProgressBar(context.terminal, context.clock)
  const signal = AbortSignal.any([outside, failed.signal])
  let trace: OutputFile | undefined
  try {
    trace = options.trace === undefined ? undefined : new OutputFile(options.trace, '--trace', failure('trace'), MAX_TRACE_BYTES)
    const target = trace && { format: traceFormatOf(trace.file), write: trace.write, signal: failed.signal }
    const onTransfer = (transfer: Transfer): void => recorder?.onTransfer(transfer)
    const shared = { realTime, progress, clock: context.clock, signal, onTransfer, trace: target, count: scenarios.length }
    for (const [index, scenario] of scenarios.entries()) {
      if (signal.aborted) break
      const result = await run(scenario, { ...shared, number: index + 1 })
      results.push(result)
      if (!json) context.print(reportOf(result))
      const written = folder?.add(result) ?? []
      if (!json && !result.ok && written.length > 0) context.print(`  report    ${written.join(', ')}\n\n`)
    }
    if (outside.aborted) context.setExitCode(STOPPED_EXIT_CODE)
    else if (results.some(({ ok }) => !ok)) context.setExitCode(FAILED_EXIT_CODE)
  } finally {
    progress.erase()
    try {
      recorder?.flush()
      record?.close()
    } finally {
      trace?.close()
    }
  }
}

/** Prints mistakes on standard error, one line each. */
export function printMistakes({ mistakes }: Pick<ReadFiles, 'mistakes'>, { hint }: Pick<ScenarioContext, 'hint'>): void {
  hint(mistakes.map((mistake) => `${formatMistake(mistake)}\n`).join(''))
}

function writeJunit(file: string, results: readonly TimedResult[]): void {
  try {
    writeFileSync(file, formatJunit(results))
  } catch (error) {
    throw cannotBeWritten(file, '--junit', error)
  }
}

function jsonOf(results: readonly TimedResult[], count: number): string {
  const scenarios = results.map((result) => ({
    ...result,
    failures: result.failures.map(({ waveforms: _inTheCharts, ...failure }) => failure),
  }))
  return `${JSON.stringify({ ok: results.length === count && results.every(({ ok }) => ok), scenarios })}\n`
}

const MS_PER_SECOND = 1000

type Colors = Pick<AllColors, 'green' | 'red'>

/** Report of one scenario: one line if it passed, otherwise everything that failed. */
function reportOf(result: TimedResult, colors: Colors = ownColors): string {
  const [first = '', ...others] = formatReport(result).split('\n')
  const [verdict = ''] = first.split(' ')
  const color = result.ok ? colors.green : colors.red
  const head = `${color(verdict)}${first.slice(verdict.length)}, ${(result.realMs / MS_PER_SECOND).toFixed(2)} s of real time`
  return `${[head, ...others].join('\n')}\n${result.ok ? '' : '\n'}`
}

/** The last line after several scenarios: `10 scenarios: 8 passed, 1 failed, 1 stopped`. */
function summaryOf(results: readonly TimedResult[], count: number): string {
  if (count < 2) return ''
  const passed = results.filter(({ ok }) => ok).length
  const failed = results.filter(({ failureCount }) => failureCount > 0).length
  const others = { stopped: results.length - passed - failed, 'not run': count - results.length }
  const rest = Object.entries(others).map(([what, many]) => (many === 0 ? '' : `, ${many} ${what}`))
  return `${count} scenarios: ${passed} passed, ${failed} failed${rest.join('')}\n`
}

/** The format that the suffix of a file names. Throws `UsageError` for another suffix. */
export function traceFormatOf(file: string): WaveformFormatName {
  const suffix = extname(file).slice(1).toLowerCase()
  if (Object.hasOwn(waveformFormats, suffix)) return suffix as WaveformFormatName
  throw new UsageError(`${file} names no format: give --trace a file that ends in .vcd or .csv`)
}
