import { connect as dial } from 'node:net'
import { type Clock, codeOf } from '@slotwire/core'

/** How long somebody who listens may take to accept. */
export const CONNECT_DEADLINE_MS = 1000

/** Connects, says nothing, and hangs up. Resolves with `accepted`, `late`, or the code of the system's error; never rejects. */
export function tryToConnect(
  at: { readonly path: string } | { readonly host: string; readonly port: number },
  clock: Clock,
): Promise<string> {
  return new Promise((resolve) => {
    const socket = dial(at)
    const end = (outcome: string): void => {
      timer.cancel()
      socket.destroy()
      resolve(outcome)
    }
    const timer = clock.after(CONNECT_DEADLINE_MS, () => end('late'))
    socket.once('connect', () => end('accepted'))
    socket.once('error', (error) => end(codeOf(error) ?? error.message))
  })
}
