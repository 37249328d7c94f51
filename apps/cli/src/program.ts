import { isatty } from 'node:tty'
import { choice, wordOf } from '@slotwire/contract'
import { formatVersion, SLOTWIRE_VERSION, SystemClock, systemWallTime, visible } from '@slotwire/core'
import { Command, CommanderError } from 'commander'
import { commands } from './commands.ts'
import { descriptorRemedy, processLimits } from './run/descriptors.ts'
import { stopSignal } from './run/until-stopped.ts'
import { homeFolder } from './state/state-folder.ts'
import { type CommandContext, examples, helpStyle } from './terminal/command-context.ts'
import { inputText } from './terminal/files.ts'
import { ask, hint, standardOutput } from './terminal/standard-streams.ts'
import { USAGE_EXIT_CODE, UsageError } from './terminal/usage-error.ts'
import { word } from './terminal/word.ts'

/** Runs the command that this process was started with. */
export function runProcess(): Promise<void> {
  return runProgram(process.argv.slice(2), {
    ...standardOutput(process.stdout, (code) => process.exit(code)),
    hint,
    terminal: process.stdout.isTTY ? process.stdout : undefined,
    // A service does not touch its standard input.
    ask: isatty(0) && isatty(2) ? (question) => ask(question, process.stdin, process.stderr, stopSignal) : undefined,
    input: () => inputText(process.stdin),
    environment: process.env,
    platform: process.platform,
    home: homeFolder,
    clock: new SystemClock(),
    wallTime: systemWallTime,
    setExitCode: (code) => {
      process.exitCode = code
    },
    stopped: stopSignal,
  })
}

/** Runs the command in `words`. Prints errors that the user can fix on standard error; rejects with any other error. */
export async function runProgram(words: readonly string[], context: CommandContext): Promise<void> {
  const { hint: tell, setExitCode } = context
  const program = new Command('slotwire')
    .description('Serve hardware modules over HTTP, on a device or on a virtual one')
    .version(formatVersion(SLOTWIRE_VERSION), '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Print this help')
    .helpCommand('help [command]', 'Print the help of a command')
    .configureHelp(helpStyle)
    .addHelpText('after', examples('serve --hardware twin', 'token create --name laptop', 'help serve'))
    .configureOutput({
      writeErr: tell,
      writeOut: context.print,
      outputError: (message, write) =>
        write(
          `slotwire: ${visible(
            message
              .replace(/^error: /, '')
              .replace(/^option '(.*?)' argument '(.*)' is invalid\. /s, "option '$1': '$2' is invalid: ")
              .trim()
              .replaceAll('\n', ' '),
          )}\n`,
        ),
    })
    .exitOverride()

  const [typed] = words
  const known = typed !== undefined && Object.hasOwn(commands, typed) ? commands[typed] : undefined
  // Help, completion and suggestions for a mistyped command need all commands.
  const isAlone = known !== undefined && typed !== 'completion'
  const wanted = isAlone ? [known] : typed === '--version' ? [] : Object.values(commands)
  // Afterwards there may be no descriptor left to read them.
  const limits = processLimits()
  try {
    for (const load of wanted) program.addCommand(await load(context))
    inherit(program)
    await program.parseAsync([...words], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) setExitCode(error.exitCode === 0 ? 0 : USAGE_EXIT_CODE)
    else if (error instanceof UsageError) {
      tell(`slotwire: ${error.message}\n`)
      setExitCode(USAGE_EXIT_CODE)
    } else {
      const remedy = descriptorRemedy(error, limits)
      if (remedy === undefined) throw error
      tell(`slotwire: ${remedy}\n`)
      setExitCode(USAGE_EXIT_CODE)
    }
  }
}

/**
 * Applies settings of the program also to subcommands: a command that was built separately does not inherit them. A wrong word of a choice
 * gets the sentence of the contract, if the command does not read it itself.
 */
function inherit(parent: Command): void {
  for (const each of [...parent.options, ...parent.registeredArguments])
    if (each.argChoices !== undefined && each.parseArg !== String)
      each.argParser(word(each.name(), wordOf(choice(each.argChoices))))
  for (const command of parent.commands) inherit(command.copyInheritedSettings(parent))
}
