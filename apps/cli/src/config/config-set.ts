import { assertNotRestoring, changeSettingsFile, fullKey, SETTINGS, type SettingChange, settingNamed } from '@slotwire/network'
import { NOTIFY_TEXTS, type NotifyContext, type NotifyResult, notifyRunningService } from '../run/running-service.ts'
import { auditChange } from '../state/audit-change.ts'
import { UsageError } from '../terminal/usage-error.ts'

interface SetOptions {
  /** As typed: a key and its values, or several `key=values`. */
  readonly typed: readonly string[]
  readonly state: string
  readonly json: boolean
}

/**
 * Changes settings, writes the audit log, notifies the running service, and prints the result. Rejects with the
 * errors that `asUsageError` turns into messages for the user.
 */
export async function setSettings({ typed, state, json }: SetOptions, context: NotifyContext): Promise<void> {
  const { print, clock, notify = notifyRunningService } = context
  const changes = changesOf(typed)
  assertNotRestoring(state)
  const { written, changed } = await changeSettingsFile({ folder: state, clock }, changes)
  if (!written) {
    print(json ? `${JSON.stringify({ written, changed, restart: [] })}\n` : 'The settings have these values already.\n')
    return
  }
  const settings = Object.fromEntries(changes.map(({ key, words }) => [key, words.join(', ')]))
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
