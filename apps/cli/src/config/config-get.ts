import {
  formatProblem,
  LAST_GOOD_FILE,
  type PlainValue,
  readSettingsFile,
  SETTINGS,
  SETTINGS_FILE,
  SettingsError,
} from '@slotwire/gateway'
import type { CommandContext } from '../terminal/command-context.ts'
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
  /** A whole key, a group of settings, or one service's part (`services.io`); undefined: all. */
  readonly key: string | undefined
  readonly state: string
  readonly services: readonly string[]
  readonly json: boolean
}

/** Shows what is in force after the next start. Throws `UsageError` for a key that is none, `SettingsError` for a file that is of no use. */
export function getSettings({ key, state, services, json }: GetOptions, { print, hint }: CommandContext): void {
  const all = shownSettings(state, services, hint)
  if (key === undefined) {
    print(json ? `${JSON.stringify(byKey(all))}\n` : table(all))
    return
  }
  const one = all.find((shown) => shown.key === key) ?? partOf(all, key)
  if (one !== undefined) {
    const lines = json ? [JSON.stringify(one)] : words(one.value)
    print(lines.map((line) => `${line}\n`).join(''))
    return
  }
  const group = all.filter((shown) => shown.key.startsWith(`${key}.`))
  if (group.length === 0) throw new UsageError(`${JSON.stringify(key)} is not a setting: slotwire config get lists all`)
  print(json ? `${JSON.stringify(byKey(group))}\n` : table(group))
}

/** Of a broken file nothing counts; as at a start, the last good one does. */
function shownSettings(state: string, services: readonly string[], hint: CommandContext['hint']): readonly ShownSetting[] {
  let from: Origin = SETTINGS_FILE
  let stored = readSettingsFile(state, SETTINGS_FILE, services)
  if (stored.problems.length > 0) {
    const { problems } = stored
    from = LAST_GOOD_FILE
    stored = readSettingsFile(state, LAST_GOOD_FILE, services)
    if (stored.text === undefined || stored.problems.length > 0) throw new SettingsError(problems)
    hint(`slotwire: the settings are broken, those of the last good file are in force:\n`)
    for (const problem of problems) hint(`  ${formatProblem(problem)}\n`)
  }
  const { settings, given } = stored
  return SETTINGS.map(({ key, plain }) => ({ key, value: plain(settings), from: given.has(key) ? from : 'default' }))
}

/** One service's part of a setting. */
function partOf(all: readonly ShownSetting[], key: string): ShownSetting | undefined {
  for (const { key: whole, value, from } of all) {
    if (!key.startsWith(`${whole}.`) || typeof value !== 'object' || value === null || Array.isArray(value)) continue
    const part = Object.entries(value).find(([name]) => key === `${whole}.${name}`)
    if (part !== undefined) return { key, value: part[1], from }
  }
  return undefined
}

const byKey = (all: readonly ShownSetting[]) => Object.fromEntries(all.map(({ key, value, from }) => [key, { value, from }]))

/** A value in words; none: what the system says, or nothing. */
function words(value: PlainValue): readonly string[] {
  if (value === null) return []
  if (typeof value !== 'object') return [String(value)]
  return Object.entries(value).map(([name, word]) => (Array.isArray(value) ? String(word) : `${name}=${String(word)}`))
}

function table(all: readonly ShownSetting[]): string {
  const rows = all.map(({ key, value, from }) => [key, words(value).join(', ') || '-', from])
  const width = (column: number) => Math.max(...rows.map((row) => (row[column] ?? '').length))
  return rows.map(([key = '', value = '', from = '']) => `${key.padEnd(width(0))}  ${value.padEnd(width(1))}  ${from}\n`).join('')
}
