import { nearest } from '@slotwire/core'
import {
  assertNotRestoring,
  changeSettingsFile,
  formatProblem,
  fullKey,
  LAST_GOOD_FILE,
  type PlainValue,
  readSettingsFile,
  SETTINGS,
  SETTINGS_FILE,
  type SettingChange,
  SettingsError,
  settingNamed,
} from '@slotwire/network'
import { Command } from 'commander'
import { NOTIFY_TEXTS, type NotifyContext, type NotifyResult, notifyRunningService } from '../run/running-service.ts'
import { auditChange } from '../state/audit-change.ts'
import { addStateCommand, type StateOptions, stateFolderOf } from '../state/state-folder.ts'
import { type CommandContext, examples } from '../terminal/command-context.ts'
import { formatTable } from '../terminal/text.ts'
import { UsageError, withUsageErrors } from '../terminal/usage-error.ts'

/** `slotwire config get|set`. Works whether the service runs or not. */
export function configCommand(context: NotifyContext): Command {
  const command = new Command('config')
    .description('Show and change the settings')
    .addHelpText('after', examples('config get', 'config set doors.https-port 8443'))
  addStateCommand(command, 'get', 'Show settings and where they come from', 'config get', 'config get doors.https-port')
    .argument('[key]', 'a setting or a group of settings (default: all)')
    .action((key: string | undefined, options: StateOptions) => withUsageErrors(() => getSettings(key, options, context)))
  addStateCommand(
    command,
    'set',
    'Change one or several settings',
    'config set host-name press-4',
    'config set host-name=press-4 vendor=Example',
  )
    .argument('<key>', 'the setting, or key=value')
    .argument('[values...]', 'its values; default removes it')
    .action((key: string, values: readonly string[], options: StateOptions) =>
      withUsageErrors(() => setSettings([key, ...values], options, context)),
    )
  return command
}

/**
 * Changes settings as typed: a key and its values, or several `key=values`. Writes the audit log, notifies the running service, and prints
 * the result. Rejects with the errors that `asUsageError` turns into messages for the user.
 */
async function setSettings(typed: readonly string[], options: StateOptions, context: NotifyContext): Promise<void> {
  const { print, clock, notify = notifyRunningService } = context
  const { json } = options
  const state = stateFolderOf(options, context)
  const changes = changesOf(typed)
  assertNotRestoring(state)
  const { written, changed } = await changeSettingsFile(state, clock, changes)
  if (!written) {
    print(json ? `${JSON.stringify({ written, changed, restart: [] })}\n` : 'The settings have these values already.\n')
    return
  }
  const settings = Object.fromEntries(changes.map((change) => [change.key, change.words.join(', ')]))
  auditChange(context, state, 'settings.set', { settings })
  const notified = notify(state)
  const needRestart = SETTINGS.filter(({ key, effect }) => effect === 'start' && changed.includes(key)).map(({ key }) => key)
  if (json) print(`${JSON.stringify({ written, changed, restart: needRestart, service: notified })}\n`)
  else print(`${outcome(changed, needRestart, notified)}\n`)
}

function outcome(changed: readonly string[], needRestart: readonly string[], notified: NotifyResult): string {
  if (changed.length === 0) return 'The file was written, but the values in effect are the same.'
  const lines = [`Changed: ${changed.join(', ')}.`, NOTIFY_TEXTS[notified]]
  if (notified !== 'not-running' && needRestart.length > 0) lines.push(`Restart the service to apply: ${needRestart.join(', ')}.`)
  return lines.join('\n')
}

/** `names a b`, `names a,b`, or several at once: `vendor=A names=a,b`. Throws `UsageError`. */
function changesOf(typed: readonly string[]): readonly SettingChange[] {
  const [key = '', ...rest] = typed
  if (!key.includes('=')) return [{ key: fullKey(key), words: isList(key) ? rest.flatMap(separate) : rest }]
  const changes = typed.map((pair): SettingChange => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? []
    if (name === undefined || value === undefined) {
      throw new UsageError(`${JSON.stringify(pair)} is invalid: write key=value for each setting, or one key and its values`)
    }
    return { key: fullKey(name), words: isList(name) ? separate(value) : [value] }
  })
  const repeated = changes.find((change, index) => changes.findIndex(({ key: other }) => other === change.key) !== index)
  if (repeated !== undefined) throw new UsageError(`${repeated.key} is given twice: give it once`)
  return changes
}

const isList = (key: string) => settingNamed(key)?.shape === 'list'
const separate = (value: string) => value.split(',').map((part) => part.trim())

/** Where a value comes from. */
type SettingOrigin = typeof SETTINGS_FILE | typeof LAST_GOOD_FILE | 'default'

/** A setting as it is shown. */
type ShownSetting = ReturnType<typeof shownSettings>[number]

/**
 * Prints the settings that apply after the next start: one, a group, or all. Throws `UsageError` for an unknown key, `SettingsError` if no settings file is
 * usable.
 */
function getSettings(name: string | undefined, options: StateOptions, context: CommandContext): void {
  const { print, hint } = context
  const { json } = options
  const all = shownSettings(stateFolderOf(options, context), hint)
  if (name === undefined) {
    print(json ? `${JSON.stringify(byKey(all))}\n` : table(all))
    return
  }
  const key = fullKey(name)
  const one = all.find((shown) => shown.key === key)
  if (one !== undefined) {
    const lines = json ? [JSON.stringify(one)] : words(one.value)
    print(lines.map((line) => `${line}\n`).join(''))
    return
  }
  const group = all.filter((shown) => shown.key.startsWith(`${key}.`))
  if (group.length === 0) {
    const groups = all.flatMap((shown) => [shown.key, shown.key.replace(/\..*/, '')])
    const meant = nearest(name, groups)
    const remedy = meant === undefined ? 'slotwire config get lists all' : `did you mean ${meant}?`
    throw new UsageError(`${JSON.stringify(name)} is not a setting: ${remedy}`)
  }
  print(json ? `${JSON.stringify(byKey(group))}\n` : table(group))
}

/** Reads the settings. Uses the last good file if the settings file has mistakes, as at a start. */
function shownSettings(state: string, hint: CommandContext['hint']) {
  let from: SettingOrigin = SETTINGS_FILE
  let stored = readSettingsFile(state, SETTINGS_FILE)
  if (stored.problems.length > 0) {
    const { problems } = stored
    from = LAST_GOOD_FILE
    stored = readSettingsFile(state, LAST_GOOD_FILE)
    if (stored.text === undefined || stored.problems.length > 0) throw new SettingsError(problems)
    hint(`slotwire: the settings file has mistakes, so the last good file applies:\n`)
    for (const problem of problems) hint(`  ${formatProblem(problem)}\n`)
  }
  const { settings, keys } = stored
  return SETTINGS.map(({ key, name, plain }) => ({ key, value: plain(settings[name]), from: keys.has(key) ? from : 'default' }))
}

const byKey = (all: readonly ShownSetting[]) => Object.fromEntries(all.map(({ key, value, from }) => [key, { value, from }]))

const isMap = (value: PlainValue): value is Readonly<Record<string, object>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A value as text. Null, the system's own value, has no words. */
function words(value: PlainValue): readonly string[] {
  if (value === null) return []
  if (isMap(value)) return Object.entries(value).map(([key, each]) => `${key}: ${JSON.stringify(each)}`)
  return [value].flat().map(String)
}

function table(all: readonly ShownSetting[]): string {
  const short = (value: PlainValue) => (isMap(value) ? Object.keys(value) : words(value)).join(', ') || '-'
  return formatTable(all.map(({ key, value, from }) => ({ key, value: short(value), from })))
}
