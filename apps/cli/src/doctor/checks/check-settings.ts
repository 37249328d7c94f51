import { join } from 'node:path'
import { SERVICE_NAMES } from '@slotwire/device/names'
import { formatProblem, readSettingsFile, SETTINGS_FILE } from '@slotwire/gateway'
import { type Check, failure, ok } from '../check.ts'
import { showSettings } from '../slotwire-commands.ts'

export const settingsCheck: Check = {
  name: 'settings',
  group: 'State',
  isForHardware: false,
  isPerService: true,
  subject: ({ state }) => join(state, SETTINGS_FILE),
  run: ({ state }) => {
    const { text, problems } = readSettingsFile(state, SETTINGS_FILE, SERVICE_NAMES)
    const [first, ...more] = problems
    if (first === undefined) return [ok(text === undefined ? 'none: all as by default' : join(state, SETTINGS_FILE))]
    const found = `${formatProblem(first)}${more.length === 0 ? '' : ` (and ${more.length} more)`}`
    return [failure(found, `Mend the file, then see that all is right: ${showSettings({ state })}.`)]
  },
}
