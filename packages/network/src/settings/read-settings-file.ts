import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { codeOf, messageOf } from '@slotwire/core'
import { DEFAULT_SETTINGS } from './declarations.ts'
import { MAX_SETTINGS_BYTES, type ParsedSettings, parseSettings } from './parse-settings.ts'

/** The operator's settings file, in the state folder. */
export const SETTINGS_FILE = 'settings.yaml'
/** The last settings that a service accepted, in the same folder. */
export const LAST_GOOD_FILE = 'settings.last-good.yaml'

/** Settings are not secret. */
export const SETTINGS_MODE = 0o644

/** A settings file as read; `text` is undefined if there is no file: then all settings have their defaults. */
export interface StoredSettings extends ParsedSettings {
  readonly text: string | undefined
}

type Content = { readonly text: string | undefined } | { readonly line: number | undefined; readonly message: string }

/** Reads a settings file. An unreadable file is reported as a problem. */
export function readSettingsFile(folder: string, name: string): StoredSettings {
  return storedSettings(contentOf(join(folder, name)), name)
}

/** Parses a file that was read already. */
export function parseSettingsFile(bytes: Uint8Array, name: string): StoredSettings {
  return storedSettings(textOf(bytes), name)
}

function storedSettings(content: Content, file: string): StoredSettings {
  const none = { text: undefined, settings: DEFAULT_SETTINGS, given: new Set<string>() }
  if (!('text' in content)) return { ...none, wellFormed: false, problems: [{ file, key: undefined, ...content }] }
  const { text } = content
  // Without a file, the YAML library is not even loaded.
  if (text === undefined) return { ...none, wellFormed: true, problems: [] }
  return { text, ...parseSettings(text, file) }
}

function contentOf(path: string): Content {
  try {
    // O_NONBLOCK: opening a pipe would block.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const stat = fstatSync(file)
      if (!stat.isFile()) return { line: undefined, message: 'is not a file: remove it, or put a file there' }
      if (stat.size > MAX_SETTINGS_BYTES)
        return { line: undefined, message: `is too large, ${stat.size} bytes: at most ${MAX_SETTINGS_BYTES}` }
      return textOf(readFileSync(file))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    const isMissing = codeOf(error) === 'ENOENT'
    if (isMissing && lstatSync(path, { throwIfNoEntry: false }) === undefined) return { text: undefined }
    const message = isMissing
      ? 'is a link that leads nowhere: put its file there, or remove the link'
      : `cannot be read (${messageOf(error)}): let the service’s user read ${basename(path)}`
    return { line: undefined, message }
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

/** The first line with invalid UTF-8. */
function badLine(bytes: Uint8Array): number {
  const lines = Buffer.from(bytes).toString('latin1').split('\n')
  return (
    1 + lines.findIndex((line) => Buffer.from(Buffer.from(line, 'latin1').toString('utf8'), 'utf8').toString('latin1') !== line)
  )
}
