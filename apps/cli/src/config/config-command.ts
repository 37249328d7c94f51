import { Command } from 'commander'
import { stateFolderOf, stateOption } from '../state/state-option.ts'
import { mendably } from './config-failure.ts'
import { getSettings } from './config-get.ts'
import { type SetContext, setSettings } from './config-set.ts'

interface Options {
  readonly state?: string
  readonly json: boolean
}

/** `slotwire config get|set`, for services of these names. Works whether the service runs or not. */
export function configCommand(services: readonly string[], context: SetContext): Command {
  const command = new Command('config').description('show and change the settings')
  const add = (name: string, description: string): Command =>
    command
      .command(name)
      .description(description)
      .addOption(stateOption())
      .option('--json', 'print one line of JSON for programs instead of text', false)
      .allowExcessArguments(false)

  add('get', 'show settings: what is in force, and whether it comes from the file')
    .argument('[key]', 'one setting (doors.https-port), or a group (doors); all if not given')
    .action((key: string | undefined, { json, ...options }: Options) =>
      mendably(() => getSettings({ key, state: stateFolderOf(options, context), services, json }, context)),
    )
  add('set', 'change a setting, or several: host-name=press-4 vendor=Example')
    .argument('<key>', 'the setting, or key=value')
    .argument('[values...]', 'its value, or several; default removes it')
    .action((key: string, values: readonly string[], { json, ...options }: Options) =>
      mendably(() => setSettings({ typed: [key, ...values], state: stateFolderOf(options, context), services, json }, context)),
    )
  return command
}
