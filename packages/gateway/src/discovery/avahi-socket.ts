import { connect } from 'node:net'
import type { Clock } from '@slotwire/core'

/** avahi itself gives up after 5 s; what it knows of its own host it says at once. */
const ANSWER_MS = 2000
const MAX_ANSWER_CHARACTERS = 4096

/** Asks avahi by its simple protocol, one line. Resolves with the line that it answers; undefined: it does not, or it does not run. */
function ask(socketPath: string, line: string, clock: Clock): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(socketPath)
    const timer = clock.after(ANSWER_MS, () => finish(undefined))
    let text = ''
    const finish = (answer: string | undefined): void => {
      timer.cancel()
      socket.destroy()
      resolve(answer)
    }
    socket.setEncoding('utf8')
    socket.on('error', () => finish(undefined))
    socket.on('close', () => finish(undefined))
    socket.on('data', (chunk: string) => {
      text += chunk
      if (text.length > MAX_ANSWER_CHARACTERS) finish(undefined)
      const end = text.indexOf('\n')
      if (end >= 0) finish(text.slice(0, end))
    })
    socket.write(`${line}\n`)
  })
}

/** Whether avahi runs on this host. */
export async function avahiRuns(socketPath: string, clock: Clock): Promise<boolean> {
  return (await ask(socketPath, 'HELP', clock))?.startsWith('+') === true
}

/** The host name, without domain, that avahi announces for an own address; undefined: it does not run, or announces none yet. */
export async function avahiHostName(socketPath: string, address: string, clock: Clock): Promise<string | undefined> {
  // "+ 2 0 press-4.local": interface, protocol, name.
  const answer = await ask(socketPath, `RESOLVE-ADDRESS ${address}`, clock)
  return /^\+ \S+ \S+ ([A-Za-z0-9-]+)\./.exec(answer ?? '')?.[1]
}
