import { defaultHttpLimits } from '@slotwire/service'
import { mostDescriptors } from './descriptors.ts'

/** File descriptors kept for everything but connections: stored files, the processes of slots, listeners. */
const RESERVED_DESCRIPTORS = 128
/** At least this share of the descriptors is for connections. */
const LEAST_SHARE = 1 / 2

/**
 * Connections that one service may have over all doors, so that files can still be opened while every connection is in use. `limits` is the
 * text of `/proc/self/limits`; without it, the service's own bound.
 */
export function mostConnections(limits: string | undefined): number {
  const descriptors = mostDescriptors(limits)
  if (descriptors === undefined) return defaultHttpLimits.connections
  const free = Math.max(descriptors - RESERVED_DESCRIPTORS, descriptors * LEAST_SHARE)
  return Math.min(defaultHttpLimits.connections, Math.floor(free))
}
