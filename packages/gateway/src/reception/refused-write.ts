import type { Contract } from '@slotwire/contract'
import type { Caller, WriteRecord } from '@slotwire/service'
import { forwardTarget } from '../forward/forward-target.ts'
import type { Token } from '../tokens/token.ts'
import type { Client } from './client.ts'
import { isReading } from './open-resources.ts'

/** What tells of writes that are refused before any service sees them. */
export interface RefusedWriteOptions {
  /** Of all services: which requests with GET have an effect. */
  readonly contracts: readonly Contract[]
  readonly onWrite?: (record: WriteRecord) => void
}

/** A request by its method and target. */
export interface Described {
  readonly method: string
  readonly url: string
}

/** Whether a request has no effect beyond its answer. */
export function onlyReads({ method, url }: Described, contracts: readonly Contract[]): boolean {
  return isReading(method) && forwardTarget(method, url, contracts)?.effect !== 'action'
}

/** Whom a token makes of a client. */
export function callerWith({ id, name, readOnly }: Token, { address }: Client): Caller {
  return { door: 'network', address, token: { id, name }, readOnly }
}

/** Tells of a write that the caller's token does not allow; of a read nothing is told. */
export function tellOfRefused(caller: Caller, described: Described, status: number, options: RefusedWriteOptions): void {
  const { contracts, onWrite } = options
  if (onWrite === undefined || onlyReads(described, contracts)) return
  const { method, url } = described
  onWrite({ caller, method, path: url.replace(/\?.*$/s, ''), status, durationMs: 0 })
}
