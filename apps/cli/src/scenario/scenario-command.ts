import { statSync } from 'node:fs'
import { type Clock, orElse, visible } from '@slotwire/core'
import { Command, InvalidArgumentError } from 'commander'
import { withReach } from '../remote/with-device.ts'
import { type InapplicableOptions, refuseOptions } from '../serve/hardware.ts'
import { jsonOption } from '../state/state-folder.ts'
import { examples } from '../terminal/command-context.ts'
import { counted } from '../terminal/text.ts'
import { USAGE_EXIT_CODE, UsageError } from '../terminal/usage-error.ts'
import { words } from '../terminal/word.ts'
import {
  checkedOptions,
  printMistakes,
  type RunFilesOptions,
  runFiles,
  runOnce,
  type ScenarioContext,
  STOPPED_EXIT_CODE,
} from './run-command.ts'
import { type DeviceRunOptions, runOnDevice } from './run-on-device.ts'
import { filesIn, readScenarios } from './scenario-files.ts'

interface CheckOptions {
  readonly json: boolean
}

interface RunOrWatchOptions extends DeviceRunOptions {
  readonly watch: boolean
}

const GIVES_AN_ADDRESS = 'give the address of one that runs already with --url or --context'
const NOT_ON_A_NEW_DEVICE: InapplicableOptions<keyof DeviceRunOptions> = {
  tokenFile: ['--token-file', GIVES_AN_ADDRESS],
  ca: ['--ca', GIVES_AN_ADDRESS],
  lease: ['--lease', GIVES_AN_ADDRESS],
  deadline: ['--deadline', GIVES_AN_ADDRESS],
  yes: ['--yes', GIVES_AN_ADDRESS],
}

/** Collects `name=value`. */
function valueOf(text: string, before: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> {
  const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? []
  if (name === undefined || value === undefined) throw new InvalidArgumentError('write a name and a value, as in supply=24V.')
  return new Map([...before, [name, value]])
}

/** `slotwire scenario run|check`. */
export function scenarioCommand(context: ScenarioContext): Command {
  const command = new Command('scenario')
    .description('Run or check scenarios on a virtual device, or on one that runs')
    .addHelpText('after', examples('scenario check brown-out.yaml', 'scenario run brown-out.yaml'))
  const run = command
    .command('run')
    .description('Run scenarios in order, on virtual devices or on a real one')
    .argument('<files...>', 'scenarios (YAML), or folders of them')
    .option('--tag <name>', 'Run only scenarios with this tag', words(String))
    .option('--set <name=value>', 'Replace a value of the scenarios', valueOf)
  withReach(run, 'Run on this device (default: a new virtual one)')
    .option('--yes', 'Do not ask', false)
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
        'scenario run tests --tag smoke --url http://dev.local --yes',
      ),
    )
    .action((files: readonly string[], options: RunOrWatchOptions) => {
      if (options.url !== undefined || options.context !== undefined) return runOnDevice(files, options, context)
      refuseOptions(options, NOT_ON_A_NEW_DEVICE, 'a new virtual device')
      return options.watch ? watchFiles(files, options, context) : runFiles(files, options, context)
    })
  command
    .command('check')
    .description('Check scenarios without running them')
    .argument('<files...>', 'scenarios (YAML), or folders of them')
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
async function watchFiles(paths: readonly string[], options: RunFilesOptions, context: ScenarioContext): Promise<void> {
  const special = filesIn(paths).find(isSpecial)
  if (special !== undefined) throw new UsageError(`${special} is not a regular file: --watch needs files that it can read again`)
  const checked = checkedOptions(options)
  const stop = new AbortController()
  void context.stopped().then(() => stop.abort(new Error('it was stopped')))
  let named: readonly string[] = []
  while (!stop.signal.aborted) {
    const stamps = stampsOf(filesIn(paths))
    const read = await readScenarios(paths, options)
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
