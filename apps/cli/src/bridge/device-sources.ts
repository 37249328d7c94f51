import { setMaxListeners } from 'node:events'
import { readFileSync } from 'node:fs'
import type { DeviceSource } from '@slotwire/bridge'
import { baseUrl, ClientError } from '@slotwire/client'
import { type Clock, messageOf } from '@slotwire/core'
import type { FoundDevice } from '@slotwire/network/discover'
import { getText } from '../client/get-text.ts'
import { connect } from '../client.ts'
import type { SavedContext } from '../remote/contexts.ts'
import { UsageError } from '../terminal/usage-error.ts'

/** Where devices show their machine id, by default; spec "Discovery". */
const MACHINE_ID_PATH = '/machine-id'
const IDENTIFY_MS = 5000
/** A page in its place is no machine id. */
const MAX_IDENTITY_BYTES = 65_536

export interface DeviceSourceOptions extends Omit<SavedContext, 'token'> {
  /** Read for each connection: the file of a token may be replaced. */
  readonly token?: () => string | undefined
  /** Pause before the first connection, in milliseconds. */
  readonly delayMs?: number
}

/** A device at an address. */
export function deviceSource({ url, token, ca, delayMs = 0 }: DeviceSourceOptions, clock: Clock): DeviceSource {
  let pauseMs = delayMs
  return {
    url,
    identify: async (signal) => {
      if (pauseMs > 0) await clock.sleep(pauseMs, signal)
      pauseMs = 0
      const trust = ca === undefined ? {} : { ca }
      const bounds = { clock, deadlineMs: IDENTIFY_MS, maxBytes: MAX_IDENTITY_BYTES, signal }
      const { status, text } = await getText(url.replace(/\/+$/, '') + MACHINE_ID_PATH, { ...trust, ...bounds })
      const id = text.trim()
      if (status === 200 && /^[0-9a-f]{32}$/.test(id)) return id
      throw new Error(`${MACHINE_ID_PATH} has no machine id (status ${status}): leave paths.machine-id in the settings as it is`)
    },
    connect: ({ source, signal }) => {
      // Each reading of the device listens to it.
      setMaxListeners(0, signal)
      return connect(url, { token: token?.(), ca, source, signal, clock })
    },
  }
}

/** Devices that announced themselves and work. Anyone can announce: the token goes over https only, where the certificate is for this name. */
export function announcedContexts(
  devices: readonly FoundDevice[],
  { token, ca }: Pick<SavedContext, 'token' | 'ca'>,
): readonly SavedContext[] {
  return devices.flatMap(({ services }) => {
    const doors = services.flatMap(({ path, doors: own }) =>
      own.map(({ url, state }) => ({ base: url.slice(0, -path.length), state })),
    )
    const door = doors.find(({ state }) => state === 'works')
    if (door === undefined) return []
    const { href, protocol } = new URL(door.base)
    return [{ url: href, ca, token: protocol === 'https:' ? token : undefined }]
  })
}

/** The addresses in a file: one in each line; empty lines and those that begin with # are left out. Throws `UsageError`. */
export function urlsOf(file: string): readonly string[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`the list of devices cannot be read: ${messageOf(error)}`, { cause: error })
  }
  return text.split('\n').flatMap((line, index) => {
    const word = line.trim()
    if (word === '' || word.startsWith('#')) return []
    try {
      return [baseUrl(word).href]
    } catch (error) {
      if (error instanceof ClientError) throw new UsageError(`${file}:${index + 1}: ${error.message}`)
      throw error
    }
  })
}
