import { Argument, Command } from 'commander'
import { type CommandContext, examples } from '../terminal/command-context.ts'
import { completedCommands } from './completed-commands.ts'
import { bashScript, fishScript, zshScript } from './scripts.ts'

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

/** `slotwire completion <shell>`, to be added to a program with all other commands. */
export function completionCommand({ print }: Pick<CommandContext, 'print'>): Command {
  return new Command('completion')
    .description('Print a script for completion in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      examples(
        'completion bash > ~/.local/share/bash-completion/completions/slotwire',
        'completion fish > ~/.config/fish/completions/slotwire.fish',
      ),
    )
    .action((shell: keyof typeof SCRIPTS, _options: object, { parent }: Command) => {
      if (parent !== null) print(SCRIPTS[shell](completedCommands(parent)))
    })
}
