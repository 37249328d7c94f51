import { isRecord } from '@slotwire/core'
import { hostLabel } from '../settings/name-types.ts'

/**
 * What a backup has of `discovery.json`: host names. The files that avahi was told of are removed one day, and concern the present machine alone:
 * they never come out of a backup. Undefined: no names.
 */
export function rememberedNames(text: string): string | undefined {
  const { wish, hostName } = valuesIn(text)
  const names = [wish, hostName].filter((name) => typeof name === 'string' && 'value' in hostLabel.read(name))
  return names.length === 2 ? formatted({ wish, hostName }) : undefined
}

/** `discovery.json` with the names of a backup, and all else as `present` has it. Undefined: there is nothing to remember. */
export function withRememberedNames(names = '', present = ''): string | undefined {
  const { wish: _, hostName: __, ...others } = valuesIn(present)
  const all = { ...valuesIn(rememberedNames(names) ?? ''), ...others }
  return Object.keys(all).length === 0 ? undefined : formatted(all)
}

/** What cannot be understood holds nothing: discovery finds it out again. */
function valuesIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}

const formatted = (value: object) => `${JSON.stringify(value, undefined, 2)}\n`
