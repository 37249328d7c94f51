import { Command } from 'commander'
import type { TellingContext } from '../run/running-service.ts'
import { addStateCommand, type StateOptions, stateFolderOf } from '../state/state-option.ts'
import { withUsageErrors } from '../terminal/as-usage-error.ts'
import { getSettings } from './config-get.ts'
import { setSettings } from './config-set.ts'

/** `slotwire config get|set`, for services of these names. Works whether the service runs or not. */
export function configCommand(services: readonly string[], context: TellingContext): Command {
  const command = new Command('config').description('show and change the settings')
  addStateCommand(command, 'get', 'show settings: what is in force, and whether it comes from the file')
    .argument('[key]', 'one setting (doors.https-port), or a group (doors); all if not given')
    .action((key: string | undefined, { json, ...options }: StateOptions) =>
      withUsageErrors(() => getSettings({ key, state: stateFolderOf(options, context), services, json }, context)),
    )
  addStateCommand(command, 'set', 'change a setting, or several: host-name=press-4 vendor=Example')
    .argument('<key>', 'the setting, or key=value')
    .argument('[values...]', 'its value, or several; default removes it')
    .action((key: string, values: readonly string[], { json, ...options }: StateOptions) =>
      withUsageErrors(() =>
        setSettings({ typed: [key, ...values], state: stateFolderOf(options, context), services, json }, context),
      ),
    )
  return command
}
