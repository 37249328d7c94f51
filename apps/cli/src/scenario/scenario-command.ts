import { closeSync, writeFileSync } from 'node:fs'
import { visible } from '@slotwire/core'
import { formatJunit, formatReport } from '@slotwire/scenario'
import { Command } from 'commander'
import { jsonOption } from '../state/state-option.ts'
import { type Colors as AllColors, colors as ownColors } from '../terminal/colors.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { examples } from '../terminal/help.ts'
import { USAGE_EXIT_CODE, UsageError } from '../terminal/usage-error.ts'
import { formatMistake, type ReadFiles, readScenarios } from './scenario-files.ts'
import { ProgressBar, type Terminal } from './scenario-progress.ts'
import { cannotBeWritten, openForWriting, Recording } from './scenario-record.ts'
import { runScenarios, type TimedResult } from './scenario-run.ts'

/** Exit code after a failed expectation. */
const FAILED_EXIT_CODE = 1
/** Exit code after a stop signal. */
const STOPPED_EXIT_CODE = 130

export interface ScenarioContext extends Pick<CommandContext, 'print' | 'hint' | 'clock'> {
  /** Terminal for the progress bar; undefined: no progress bar. */
  readonly terminal: Terminal | undefined
  readonly setExitCode: (code: number) => void
  /** Resolves when a signal asks to stop. Called when scenarios start. */
  readonly stopped: () => Promise<unknown>
}

interface CheckOptions {
  readonly json: boolean
}

interface RunOptions extends CheckOptions {
  readonly realTime: boolean
  readonly junit?: string
  readonly record?: string
}

/** `slotwire scenario run|check`. */
export function scenarioCommand(context: ScenarioContext): Command {
  const command = new Command('scenario')
    .description('Run or check scenarios on a virtual device')
    .addHelpText('after', examples('scenario check brown-out.yaml', 'scenario run brown-out.yaml'))
  command
    .command('run')
    .description('Run scenarios in order, each on a new virtual device')
    .argument('<files...>', 'scenarios (YAML)')
    .option('--real-time', 'Run in real time (default: as fast as possible)', false)
    .option('--junit <file>', 'Write the results as JUnit XML')
    .option('--record <file>', 'Record all bus frames of one scenario')
    .addOption(jsonOption())
    .addHelpText('after', examples('scenario run brown-out.yaml', 'scenario run tests/a.yaml tests/b.yaml --junit results.xml'))
    .action((files: readonly string[], options: RunOptions) => run(files, options, context))
  command
    .command('check')
    .description('Check scenarios without running them')
    .argument('<files...>', 'scenarios (YAML)')
    .addOption(jsonOption())
    .addHelpText('after', examples('scenario check brown-out.yaml'))
    .action((files: readonly string[], options: CheckOptions) => check(files, options, context))
  return command
}

async function check(files: readonly string[], options: CheckOptions, context: ScenarioContext): Promise<void> {
  const read = await readScenarios(files)
  if (options.json) context.print(`${JSON.stringify({ ok: read.mistakes.length === 0, mistakes: read.mistakes })}\n`)
  else {
    printMistakes(read, context)
    const noted = read.scenarios.map(
      ({ file, steps }) => `right   ${visible(file)}: ${steps.length} ${steps.length === 1 ? 'step' : 'steps'}\n`,
    )
    context.print(noted.join(''))
  }
  if (read.mistakes.length > 0) context.setExitCode(USAGE_EXIT_CODE)
}

async function run(files: readonly string[], options: RunOptions, context: ScenarioContext): Promise<void> {
  if (options.record !== undefined && files.length > 1)
    throw new UsageError('--record keeps the frames of one scenario: run them one by one, or leave it out')
  const read = await readScenarios(files)
  // Report mistakes before anything runs: a run may take an hour.
  if (read.mistakes.length > 0) {
    printMistakes(read, context)
    context.setExitCode(USAGE_EXIT_CODE)
    return
  }
  const { junit } = options
  if (junit !== undefined) closeSync(openForWriting(junit, '--junit'))
  const results: TimedResult[] = []
  try {
    await runAll(read, results, options, context)
  } finally {
    // If one scenario cannot run at all, the results of the others are still written.
    if (junit !== undefined) writeJunit(junit, results)
  }
  context.print(options.json ? jsonOf(results, files.length) : summaryOf(results, files.length))
}

/** Prints each result immediately. */
async function runAll(read: ReadFiles, results: TimedResult[], options: RunOptions, context: ScenarioContext): Promise<void> {
  const stop = new AbortController()
  let isStopped = false
  void context.stopped().then(() => {
    isStopped = true
    stop.abort(new Error('it was stopped'))
  })
  const recording =
    options.record === undefined
      ? undefined
      : new Recording(options.record, () => stop.abort(new Error('the record file cannot be written')))
  const progress = new ProgressBar(context.terminal, context.clock)
  try {
    await runScenarios(read.scenarios, {
      realTime: options.realTime,
      progress,
      clock: context.clock,
      signal: stop.signal,
      onTransfer: (transfer) => recording?.onTransfer(transfer),
      onResult: (result) => {
        results.push(result)
        if (!options.json) context.print(reportOf(result))
      },
    })
    if (isStopped) context.setExitCode(STOPPED_EXIT_CODE)
    else if (results.some(({ ok }) => !ok)) context.setExitCode(FAILED_EXIT_CODE)
  } finally {
    progress.erase()
    recording?.close()
  }
}

function printMistakes({ mistakes }: ReadFiles, { hint }: ScenarioContext): void {
  hint(mistakes.map((mistake) => `${formatMistake(mistake)}\n`).join(''))
}

function writeJunit(file: string, results: readonly TimedResult[]): void {
  try {
    writeFileSync(file, formatJunit(results))
  } catch (error) {
    throw cannotBeWritten(file, '--junit', error)
  }
}

function jsonOf(scenarios: readonly TimedResult[], count: number): string {
  return `${JSON.stringify({ ok: scenarios.length === count && scenarios.every(({ ok }) => ok), scenarios })}\n`
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
