import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { codeOf } from '@slotwire/core'
import { DEFAULT_SETTINGS } from './declarations.ts'
import { MOST_SETTINGS_BYTES, type ParsedSettings, parseSettings } from './parse-settings.ts'

/** What an operator writes, in the state folder. */
export const SETTINGS_FILE = 'settings.yaml'
/** The newest settings that a service took, in the same folder. */
export const LAST_GOOD_FILE = 'settings.last-good.yaml'

/** Settings are no secrets. */
export const SETTINGS_MODE = 0o644

/** A settings file that was read; `text` is undefined where there is none, and then all is default. */
export interface StoredSettings extends ParsedSettings {
  readonly text: string | undefined
}

type Content = { readonly text: string | undefined } | { readonly line: number | undefined; readonly message: string }

/** Reads a settings file. What keeps it from being read is a problem like any other. `services` are the names of those that there are. */
export function readSettingsFile(folder: string, name: string, services: readonly string[]): StoredSettings {
  return storedSettings(contentOf(join(folder, name)), name, services)
}

/** The same for a file that was read already. */
export function parseSettingsFile(bytes: Uint8Array, name: string, services: readonly string[]): StoredSettings {
  return storedSettings(textOf(bytes), name, services)
}

function storedSettings(content: Content, file: string, services: readonly string[]): StoredSettings {
  const none = { text: undefined, settings: DEFAULT_SETTINGS, given: new Set<string>() }
  if (!('text' in content)) return { ...none, wellFormed: false, problems: [{ file, key: undefined, ...content }] }
  const { text } = content
  // Not even the library is loaded for it.
  if (text === undefined) return { ...none, wellFormed: true, problems: [] }
  return { text, ...parseSettings(text, { file, services }) }
}

function contentOf(path: string): Content {
  try {
    // A pipe would keep us waiting for somebody to write.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const stat = fstatSync(file)
      if (!stat.isFile()) return { line: undefined, message: 'is no file: remove it, or put a file there' }
      if (stat.size > MOST_SETTINGS_BYTES)
        return { line: undefined, message: `is too large, ${stat.size} bytes: at most ${MOST_SETTINGS_BYTES}` }
      return textOf(readFileSync(file))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { text: undefined }
    const reason = error instanceof Error ? error.message : String(error)
    return {
      line: undefined,
      message: `cannot be read (${reason}): see to it that the service’s user may read ${basename(path)}`,
    }
  }
}

function textOf(bytes: Uint8Array): Content {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    return { text: decoder.decode(bytes) }
  } catch {
    return { line: badLine(bytes), message: 'is not UTF-8: save the file in this encoding' }
  }
}

/** The first line that does not come back as it was. */
function badLine(bytes: Uint8Array): number {
  const lines = Buffer.from(bytes).toString('latin1').split('\n')
  return (
    1 + lines.findIndex((line) => Buffer.from(Buffer.from(line, 'latin1').toString('utf8'), 'utf8').toString('latin1') !== line)
  )
}
