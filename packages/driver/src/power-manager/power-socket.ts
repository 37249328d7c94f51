import { once } from 'node:events'
import { chmodSync, closeSync, linkSync, lstatSync, mkdtempSync, openSync, rmSync, type Stats, unlinkSync } from 'node:fs'
import { connect, type Server } from 'node:net'
import { dirname, join } from 'node:path'
import { codeOf, messageOf } from '@slotwire/core'

/** Longest path of a Unix socket, in bytes: the system's limit. */
export const MAX_SOCKET_PATH_BYTES = 107
/** How often a stale socket file is replaced when other daemons interfere. */
const ATTEMPTS = 3

/** The socket cannot be created; the message names the remedy. */
export class PowerSocketError extends Error {
  override readonly name = 'PowerSocketError'
}

/** A socket that drivers can connect to. */
export type PowerSocket = ReturnType<typeof placed>

/**
 * Makes a server listen at `path`, with `mode`. Replaces the socket of a killed daemon, but not one with a listener. The socket is bound
 * in a separate folder and then linked to `path`. So it is never visible without its mode, replaces no other file, and closing the server
 * never removes the socket of a later daemon. The folder is addressed by its descriptor, since the path of a socket must be short.
 * Rejects with `PowerSocketError`; the server is closed then.
 */
export async function openPowerSocket(server: Server, path: string, mode: number): Promise<PowerSocket> {
  checkLength(path)
  try {
    const folder = mkdtempSync(join(dirname(path), '.new-'))
    const descriptor = openSync(folder, 'r')
    // Closing the server removes the path that it was given.
    server.once('close', () => closeSync(descriptor))
    try {
      server.listen(`/proc/self/fd/${descriptor}/s`)
      await once(server, 'listening')
      const bound = join(folder, 's')
      chmodSync(bound, mode)
      await putInPlace(bound, path)
      return placed(path, lstatSync(bound))
    } finally {
      rmSync(folder, { recursive: true })
    }
  } catch (error) {
    server.close()
    throw error instanceof PowerSocketError ? error : new PowerSocketError(explained(error, path), { cause: error })
  }
}

function placed(path: string, own: Stats) {
  const isOwn = (stats: Stats): boolean => stats.dev === own.dev && stats.ino === own.ino
  return {
    /** One sentence about why drivers cannot reach it any more, with the remedy; undefined while the file is in place. */
    lost: () => {
      const how = lossOf(path, isOwn)
      return how === undefined ? undefined : `drivers cannot reach this power manager: its socket ${path} ${how}; restart it`
    },
    /** Removes the file if it is still this one. Call it before the server is closed. */
    remove: () => removeIf(path, isOwn),
  }
}

function lossOf(path: string, isOwn: (stats: Stats) => boolean): string | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return 'was deleted'
    return isOwn(stats) ? undefined : 'was replaced by another file'
  } catch (error) {
    return `cannot be found (${codeOf(error)})`
  }
}

function checkLength(path: string): void {
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES) return
  throw new PowerSocketError(
    `the path ${path} is too long for a socket, at most ${MAX_SOCKET_PATH_BYTES} bytes: choose a shorter one`,
  )
}

async function putInPlace(bound: string, path: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      linkSync(bound, path)
      return
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
      if (attempt === ATTEMPTS) throw inUse(path)
      await removeIfDead(path)
    }
  }
}

/** Removes a stale socket. Rejects if the file is not a socket, or has a listener. */
async function removeIfDead(path: string): Promise<void> {
  const tested = lstatSync(path, { throwIfNoEntry: false })
  if (tested === undefined) return
  if (!tested.isSocket()) throw new PowerSocketError(`${path} exists and is not a socket: remove it, or choose another path`)
  if (await isListenedAt(path)) throw inUse(path)
  removeIf(path, (stats) => stats.dev === tested.dev && stats.ino === tested.ino && stats.ctimeMs === tested.ctimeMs)
}

function removeIf(path: string, isMeant: (stats: Stats) => boolean): void {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats !== undefined && isMeant(stats)) unlinkSync(path)
}

/** Whether a socket has a listener; the system answers at once. */
async function isListenedAt(path: string): Promise<boolean> {
  const probe = connect(path)
  try {
    await once(probe, 'connect')
    return true
  } catch (error) {
    const code = codeOf(error)
    // The queue of connections is full, so there is a listener.
    if (code === 'EAGAIN') return true
    if (code === 'ECONNREFUSED' || code === 'ENOENT') return false
    throw error
  } finally {
    probe.destroy()
  }
}

function inUse(path: string): PowerSocketError {
  return new PowerSocketError(`a power manager listens at ${path} already: stop that one, or choose another path`)
}

function explained(error: unknown, path: string): string {
  const folder = dirname(path)
  switch (codeOf(error)) {
    case 'ENOENT':
      return `the folder ${folder} is missing: create it (systemd does with RuntimeDirectory=), or choose another path`
    case 'ENOTDIR':
      return `${folder} is not a folder: choose another path`
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `the socket ${path} cannot be created (${codeOf(error)}): let this user write to ${folder}, or choose another path`
    default:
      return `the socket ${path} cannot be created: ${messageOf(error)}`
  }
}
