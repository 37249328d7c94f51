import { codeOf, messageOf } from '@slotwire/core'
import type { ListenAddress, OpenDoor } from '@slotwire/edge'
import type { Settings } from '@slotwire/network'
import { UsageError } from '../terminal/usage-error.ts'

const LOOPBACK_V4 = '127.0.0.1'
const LOOPBACK_V6 = '::1'
/** Attempts to pick a port that is free on both IPv4 and IPv6. */
const FREE_PORT_ATTEMPTS = 5

/** Error codes of a system without IPv6, or without it on the loopback interface. */
const NO_SUCH_ADDRESS = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL'])

type Listen = (at: ListenAddress) => Promise<OpenDoor['address']>

const OTHER_PORT = 'choose another with --port <number>, or pick a free one with --port 0'
const OTHER_PORTS = 'stop the program that has it, or choose another with slotwire config set doors.loopback-ports'

/** The error for a loopback port that cannot be opened, with a remedy. */
export function refusedPort(error: unknown, port: number, remedy = OTHER_PORT): UsageError {
  if (codeOf(error) === 'EADDRINUSE') return new UsageError(`port ${port} is taken: ${remedy}`, { cause: error })
  if (codeOf(error) === 'EACCES') return new UsageError(`this user may not use port ${port}: ${remedy}`, { cause: error })
  return new UsageError(`port ${port} cannot be used (${messageOf(error)}): ${remedy}`)
}

/**
 * Listens at each port on 127.0.0.1 and, if the machine has it, on ::1. Resolves with the URLs: IPv4 first, and of `loopbackPorts` only
 * these. Throws `UsageError` if a port is not available.
 */
export async function listenOnLoopback(
  listen: Listen,
  { loopbackPort, loopbackPorts }: Pick<Settings, 'loopbackPort' | 'loopbackPorts'>,
): Promise<readonly string[]> {
  const urls = [...(await listenAt(listen, loopbackPort, OTHER_PORT))]
  for (const port of loopbackPorts) urls.push(...(await listenAt(listen, port, OTHER_PORTS)).slice(0, 1))
  return urls
}

async function listenAt(listen: Listen, port: number, remedy: string): Promise<readonly string[]> {
  for (let attempt = 1; ; attempt++) {
    const bound = await listen({ host: LOOPBACK_V4, port }).catch((error: unknown) => {
      throw refusedPort(error, port, remedy)
    })
    const urls = [`http://${LOOPBACK_V4}:${bound.port}`]
    try {
      await listen({ host: LOOPBACK_V6, port: bound.port })
      return [...urls, `http://[${LOOPBACK_V6}]:${bound.port}`]
    } catch (error) {
      if (NO_SUCH_ADDRESS.has(codeOf(error) ?? '')) return urls
      // A picked port may be taken on the other address: pick another. The first door stays open, which does no damage.
      if (port !== 0 || attempt === FREE_PORT_ATTEMPTS) throw refusedPort(error, bound.port, remedy)
    }
  }
}
