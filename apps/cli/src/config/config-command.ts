import { Command } from 'commander'
import type { NotifyContext } from '../run/running-service.ts'
import { addStateCommand, type StateOptions, stateFolderOf } from '../state/state-folder.ts'
import { examples } from '../terminal/command-context.ts'
import { withUsageErrors } from '../terminal/usage-error.ts'
import { getSettings } from './config-get.ts'
import { setSettings } from './config-set.ts'

/** `slotwire config get|set`. Works whether the service runs or not. */
export function configCommand(context: NotifyContext): Command {
  const command = new Command('config')
    .description('Show and change the settings')
    .addHelpText('after', examples('config get', 'config set doors.https-port 8443'))
  addStateCommand(command, 'get', 'Show settings and where they come from', 'config get', 'config get doors.https-port')
    .argument('[key]', 'a setting or a group of settings (default: all)')
    .action((key: string | undefined, { json, ...options }: StateOptions) =>
      withUsageErrors(() => getSettings({ key, state: stateFolderOf(options, context), json }, context)),
    )
  addStateCommand(
    command,
    'set',
    'Change one or several settings',
    'config set host-name press-4',
    'config set host-name=press-4 vendor=Example',
  )
    .argument('<key>', 'the setting, or key=value')
    .argument('[values...]', 'its values; default removes it')
    .action((key: string, values: readonly string[], { json, ...options }: StateOptions) =>
      withUsageErrors(() => setSettings({ typed: [key, ...values], state: stateFolderOf(options, context), json }, context)),
    )
  return command
}
