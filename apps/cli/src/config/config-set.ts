import { assertNotRestoring, changeSettingsFile, SETTINGS, type SettingChange } from '@slotwire/gateway'
import { NOTIFY_TEXTS, type NotifyContext, type NotifyResult, notifyRunningService } from '../run/running-service.ts'
import { auditChange } from '../state/audit-change.ts'
import { UsageError } from '../terminal/usage-error.ts'

interface SetOptions {
  /** As typed: a key and its words, or several `key=words`. */
  readonly typed: readonly string[]
  readonly state: string
  readonly services: readonly string[]
  readonly json: boolean
}

/**
 * Changes settings, writes the audit log, notifies the running service, and prints the result. Rejects with the errors of `asUsageError`.
 */
export async function setSettings({ typed, state, services, json }: SetOptions, context: NotifyContext): Promise<void> {
  const { print, clock, notify = notifyRunningService } = context
  const changes = changesOf(typed)
  assertNotRestoring(state)
  const { written, changed } = await changeSettingsFile({ folder: state, services, clock }, changes)
  if (!written) {
    print(json ? `${JSON.stringify({ written, changed, restart: [] })}\n` : 'The settings have these values already.\n')
    return
  }
  const settings = Object.fromEntries(changes.map(({ key, words }) => [key, words.join(', ')]))
  auditChange(context, state, 'settings.set', { settings })
  const service = notify(state)
  const restart = SETTINGS.filter(({ key, effect }) => effect === 'start' && changed.includes(key)).map(({ key }) => key)
  if (json) print(`${JSON.stringify({ written, changed, restart, service })}\n`)
  else print(`${outcome(changed, restart, service)}\n`)
}

function outcome(changed: readonly string[], restart: readonly string[], service: NotifyResult): string {
  if (changed.length === 0) return 'Written. No value changed.'
  const lines = [`Changed: ${changed.join(', ')}.`, NOTIFY_TEXTS[service]]
  if (service !== 'not-running' && restart.length > 0) lines.push(`Restart the service to apply: ${restart.join(', ')}.`)
  return lines.join('\n')
}

/** `names a b`, `names a,b`, or several at once: `vendor=A names=a,b`. Throws `UsageError`. */
function changesOf(typed: readonly string[]): readonly SettingChange[] {
  const [key = '', ...rest] = typed
  if (!key.includes('=')) return [{ key, words: isList(key) ? rest.flatMap(separate) : rest }]
  const changes = typed.map((pair): SettingChange => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? []
    if (name === undefined || value === undefined) {
      throw new UsageError(`${JSON.stringify(pair)} is invalid: write key=value for each setting, or one key and its values`)
    }
    return { key: name, words: isList(name) ? separate(value) : [value] }
  })
  const twice = changes.find((change, index) => changes.findIndex(({ key: other }) => other === change.key) !== index)
  if (twice !== undefined) throw new UsageError(`${twice.key} is given twice: give it once`)
  return changes
}

const isList = (key: string) => SETTINGS.some((setting) => setting.key === key && setting.shape === 'list')
const separate = (word: string) => word.split(',').map((part) => part.trim())
