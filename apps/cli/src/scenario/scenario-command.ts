import { visible } from '@slotwire/core'
import { Command } from 'commander'
import { jsonOption } from '../state/state-folder.ts'
import { examples } from '../terminal/command-context.ts'
import { USAGE_EXIT_CODE } from '../terminal/usage-error.ts'
import { printMistakes, type RunOptions, runFiles, type ScenarioContext } from './run-command.ts'
import { readScenarios } from './scenario-files.ts'
import { watchFiles } from './scenario-watch.ts'

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
    const noted = read.scenarios.map(
      ({ file, steps }) => `right   ${visible(file)}: ${steps.length} ${steps.length === 1 ? 'step' : 'steps'}\n`,
    )
    context.print(noted.join(''))
  }
  if (read.mistakes.length > 0) context.setExitCode(USAGE_EXIT_CODE)
}
