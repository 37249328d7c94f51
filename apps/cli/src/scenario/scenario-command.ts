import { statSync } from 'node:fs'
import { type Clock, orElse, visible } from '@slotwire/core'
import { Command } from 'commander'
import { jsonOption } from '../state/state-folder.ts'
import { examples } from '../terminal/command-context.ts'
import { counted } from '../terminal/text.ts'
import { USAGE_EXIT_CODE, UsageError } from '../terminal/usage-error.ts'
import {
  checkedOptions,
  printMistakes,
  type RunOptions,
  runFiles,
  runOnce,
  type ScenarioContext,
  STOPPED_EXIT_CODE,
} from './run-command.ts'
import { readScenarios } from './scenario-files.ts'

interface CheckOptions {
  readonly json: boolean
}

interface RunOrWatchOptions extends RunOptions {
  readonly watch: boolean
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
    .option('--trace <file>', 'Write the pins of one scenario: .vcd or .csv')
    .option('--report <folder>', 'Write reports, and failed pins as SVG')
    .option('--watch', 'Run again when a file changes, until Ctrl-C', false)
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        'scenario run brown-out.yaml --watch',
        'scenario run brown-out.yaml --trace pins.vcd',
        'scenario run a.yaml b.yaml --junit results.xml --report failures',
      ),
    )
    .action((files: readonly string[], options: RunOrWatchOptions) =>
      options.watch ? watchFiles(files, options, context) : runFiles(files, options, context),
    )
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
    const noted = read.scenarios.map(({ file, steps }) => `right   ${visible(file)}: ${counted(steps.length, 'step')}\n`)
    context.print(noted.join(''))
  }
  if (read.mistakes.length > 0) context.setExitCode(USAGE_EXIT_CODE)
}

/** Time between two looks at the files, in ms. Looking also sees files that editors replace, on every file system. */
const LOOK_MS = 200

/**
 * `slotwire scenario run --watch`: runs scenarios, and again when one of the files changes, or a file that they name. A change during a run
 * stops it. Mistakes do not end it; resolves after a stop signal.
 */
async function watchFiles(files: readonly string[], options: RunOptions, context: ScenarioContext): Promise<void> {
  const special = files.find(isSpecial)
  if (special !== undefined) throw new UsageError(`${special} is not a regular file: --watch needs files that it can read again`)
  const checked = checkedOptions(files, options)
  const stop = new AbortController()
  void context.stopped().then(() => stop.abort(new Error('it was stopped')))
  let named: readonly string[] = []
  while (!stop.signal.aborted) {
    const stamps = stampsOf(files)
    const read = await readScenarios(files)
    // A scenario with mistakes names no files: the former ones may be what has to change.
    if (read.mistakes.length === 0) named = read.named
    const watched = new Map([...stampsOf(named), ...stamps])
    const changed = new AbortController()
    const watching = untilChanged(watched, context.clock, stop.signal).then(
      () => changed.abort(new Error('a file has changed')),
      () => undefined,
    )
    try {
      await runOnce(read, checked, context, () => AbortSignal.any([stop.signal, changed.signal]))
    } catch (error) {
      stop.abort()
      throw error
    }
    const what = counted(watched.size, 'file')
    if (!changed.signal.aborted && !stop.signal.aborted) context.hint(`watching ${what}: a change runs again, Ctrl-C ends\n`)
    await watching
  }
  context.setExitCode(STOPPED_EXIT_CODE)
}

/** Resolves when a file has another stamp, and all have kept theirs for a moment: editors write in several steps. */
async function untilChanged(before: ReadonlyMap<string, string>, clock: Clock, signal: AbortSignal): Promise<void> {
  const files = [...before.keys()]
  const initial = [...before.values()].join()
  let last = initial
  for (;;) {
    await clock.sleep(LOOK_MS, signal)
    const now = [...stampsOf(files).values()].join()
    if (now !== initial && now === last) return
    last = now
  }
}

function stampsOf(files: readonly string[]): ReadonlyMap<string, string> {
  return new Map(files.map((file) => [file, stampOf(file)]))
}

/** Differs after a file was written, replaced, made or removed. */
function stampOf(file: string): string {
  const stats = orElse(undefined, () => statSync(file, { bigint: true }))
  return stats === undefined ? 'missing' : `${stats.ino} ${stats.size} ${stats.mtimeNs}`
}

/** Whether it is a pipe, a device or a folder. */
function isSpecial(file: string): boolean {
  return orElse(false, () => !statSync(file).isFile())
}
