import type { OpenDoor, Service } from '@slotwire/service'
import { codeOf } from '@slotwire/storage'
import { UsageError } from '../terminal/usage-error.ts'

const LOOPBACK_V4 = '127.0.0.1'
const LOOPBACK_V6 = '::1'
/** Another port is picked so often when the free one of IPv4 turns out to be taken on IPv6. */
const FREE_PORT_ATTEMPTS = 5

/** The system has no IPv6, or none on the loopback interface. */
const NO_SUCH_ADDRESS = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL'])

type Listen = (at: Parameters<Service['listen']>[0]) => Promise<OpenDoor['address']>

/** What to say about a port of this machine that cannot be had, and what to do about it. */
export function refusedPort(error: unknown, port: number): UsageError {
  const remedy = 'choose another with --port <number>, or let one be picked with --port 0'
  if (codeOf(error) === 'EADDRINUSE') return new UsageError(`port ${port} is taken: ${remedy}`, { cause: error })
  if (codeOf(error) === 'EACCES') return new UsageError(`port ${port} is not for this user: ${remedy}`, { cause: error })
  return new UsageError(`port ${port} cannot be used (${error instanceof Error ? error.message : String(error)}): ${remedy}`)
}

/**
 * Listens on 127.0.0.1 and, where the machine has it, on ::1, both at the same port. Resolves with the URLs, IPv4 first. Throws
 * `UsageError` when the port cannot be had.
 */
export async function listenOnLoopback(listen: Listen, port: number): Promise<readonly string[]> {
  for (let attempt = 1; ; attempt++) {
    const bound = await listen({ host: LOOPBACK_V4, port }).catch((error: unknown) => {
      throw refusedPort(error, port)
    })
    const urls = [`http://${LOOPBACK_V4}:${bound.port}`]
    try {
      await listen({ host: LOOPBACK_V6, port: bound.port })
      return [...urls, `http://[${LOOPBACK_V6}]:${bound.port}`]
    } catch (error) {
      if (NO_SUCH_ADDRESS.has(codeOf(error) ?? '')) return urls
      // A picked port may be taken on the other address: the first door stays open, which harms nobody, and another is picked.
      if (port !== 0 || attempt === FREE_PORT_ATTEMPTS) throw refusedPort(error, bound.port)
    }
  }
}
