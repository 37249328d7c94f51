import { connect } from 'node:net'
import type { Clock } from '@slotwire/core'

/** avahi's files on this host. */
export interface AvahiPaths {
  /** Socket of its simple protocol. */
  readonly socket: string
  /** Folder of its service files. */
  readonly services: string
}

export const AVAHI_PATHS: AvahiPaths = { socket: '/run/avahi-daemon/socket', services: '/etc/avahi/services' }

/** Time to wait for an answer. avahi answers at once about its own host; it waits 5 s for other hosts. */
const ANSWER_MS = 2000
const MAX_ANSWER_CHARACTERS = 4096

/** Sends one line in avahi's simple protocol. Resolves with the first line of the response; undefined if no complete line arrives. */
async function ask(socketPath: string, line: string, clock: Clock): Promise<string | undefined> {
  const socket = connect(socketPath).setEncoding('utf8')
  const timer = clock.after(ANSWER_MS, () => socket.destroy())
  try {
    socket.write(`${line}\n`)
    let text = ''
    for await (const chunk of socket as AsyncIterable<string>) {
      text += chunk
      if (text.length > MAX_ANSWER_CHARACTERS) return undefined
      if (text.includes('\n')) return text.slice(0, text.indexOf('\n'))
    }
    return undefined
  } catch {
    return undefined
  } finally {
    timer.cancel()
    socket.destroy()
  }
}

/** Returns whether avahi runs on this host. */
export async function avahiRuns(socketPath: string, clock: Clock): Promise<boolean> {
  return (await ask(socketPath, 'HELP', clock))?.startsWith('+') === true
}

/** The host name, without domain, that avahi announces for an address of this host; undefined if it announces no name yet, or is down. */
export async function avahiHostName(socketPath: string, address: string, clock: Clock): Promise<string | undefined> {
  // "+ 2 0 press-4.local": interface, protocol, name.
  const answer = await ask(socketPath, `RESOLVE-ADDRESS ${address}`, clock)
  return /^\+ \S+ \S+ ([A-Za-z0-9-]+)\./.exec(answer ?? '')?.[1]
}
