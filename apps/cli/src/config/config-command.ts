import { Command } from 'commander'
import type { TellingContext } from '../run/running-service.ts'
import { addStateCommand, type StateOptions, stateFolderOf } from '../state/state-option.ts'
import { withUsageErrors } from '../terminal/as-usage-error.ts'
import { getSettings } from './config-get.ts'
import { setSettings } from './config-set.ts'

/** `slotwire config get|set`, for these module services. Works whether the service runs or not. */
export function configCommand(services: readonly string[], context: TellingContext): Command {
  const command = new Command('config').description('Show and change the settings')
  addStateCommand(command, 'get', 'Show settings and where they come from')
    .argument('[key]', 'a setting or a group of settings (default: all)')
    .action((key: string | undefined, { json, ...options }: StateOptions) =>
      withUsageErrors(() => getSettings({ key, state: stateFolderOf(options, context), services, json }, context)),
    )
  addStateCommand(command, 'set', 'Change one or several settings')
    .argument('<key>', 'the setting, or key=value')
    .argument('[values...]', 'its values; default removes it')
    .action((key: string, values: readonly string[], { json, ...options }: StateOptions) =>
      withUsageErrors(() =>
        setSettings({ typed: [key, ...values], state: stateFolderOf(options, context), services, json }, context),
      ),
    )
  return command
}
