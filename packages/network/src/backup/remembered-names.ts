import { isRecord, orElse } from '@slotwire/core'
import { hostLabel } from '../settings/name-types.ts'

/**
 * The part of `discovery.json` that a backup holds: host names. Other values concern this machine only. In particular avahi's files are
 * removed one day: their paths must never come from a backup. Undefined if there are no names.
 */
export function rememberedNames(text: string): string | undefined {
  const { wish, hostName } = valuesIn(text)
  const names = [wish, hostName].filter((name) => typeof name === 'string' && 'value' in hostLabel.read(name))
  return names.length === 2 ? formatted({ wish, hostName }) : undefined
}

/** `discovery.json` with the names of the backup and the other values of `present`. Undefined if it would be empty. */
export function withRememberedNames(names = '', present = ''): string | undefined {
  const { wish: _, hostName: __, ...others } = valuesIn(present)
  const all = { ...valuesIn(rememberedNames(names) ?? ''), ...others }
  return Object.keys(all).length === 0 ? undefined : formatted(all)
}

/** Unreadable text counts as empty: discovery finds the values again. */
function valuesIn(text: string): Readonly<Record<string, unknown>> {
  const value = orElse<unknown>({}, () => JSON.parse(text))
  return isRecord(value) ? value : {}
}

const formatted = (value: object) => `${JSON.stringify(value, undefined, 2)}\n`
