import { nearest } from '@slotwire/core'
import {
  formatProblem,
  fullKey,
  LAST_GOOD_FILE,
  type PlainValue,
  readSettingsFile,
  SETTINGS,
  SETTINGS_FILE,
  SettingsError,
} from '@slotwire/network'
import type { CommandContext } from '../terminal/command-context.ts'
import { formatTable } from '../terminal/text.ts'
import { UsageError } from '../terminal/usage-error.ts'

/** Where a value comes from. */
type Origin = typeof SETTINGS_FILE | typeof LAST_GOOD_FILE | 'default'

/** A setting as it is shown. */
interface ShownSetting {
  readonly key: string
  readonly value: PlainValue
  readonly from: Origin
}

interface GetOptions {
  /** A setting or a group; undefined: all. */
  readonly key: string | undefined
  readonly state: string
  readonly json: boolean
}

/**
 * Prints the settings that apply after the next start. Throws `UsageError` for an unknown key, `SettingsError` if no settings file is
 * usable.
 */
export function getSettings({ key: name, state, json }: GetOptions, { print, hint }: CommandContext): void {
  const all = shownSettings(state, hint)
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
function shownSettings(state: string, hint: CommandContext['hint']): readonly ShownSetting[] {
  let from: Origin = SETTINGS_FILE
  let stored = readSettingsFile(state, SETTINGS_FILE)
  if (stored.problems.length > 0) {
    const { problems } = stored
    from = LAST_GOOD_FILE
    stored = readSettingsFile(state, LAST_GOOD_FILE)
    if (stored.text === undefined || stored.problems.length > 0) throw new SettingsError(problems)
    hint(`slotwire: the settings file has mistakes, so the last good file applies:\n`)
    for (const problem of problems) hint(`  ${formatProblem(problem)}\n`)
  }
  const { settings, given } = stored
  return SETTINGS.map(({ key, plain }) => ({ key, value: plain(settings), from: given.has(key) ? from : 'default' }))
}

const byKey = (all: readonly ShownSetting[]) => Object.fromEntries(all.map(({ key, value, from }) => [key, { value, from }]))

/** A value as text. Null, the system's own value, has no words. */
function words(value: PlainValue): readonly string[] {
  if (value === null) return []
  return [value].flat().map(String)
}

function table(all: readonly ShownSetting[]): string {
  return formatTable(all.map(({ key, value, from }) => ({ key, value: words(value).join(', ') || '-', from })))
}
