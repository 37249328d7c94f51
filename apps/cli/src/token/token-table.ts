import { fromIsoTime } from '@slotwire/core'
import type { ListedToken } from '@slotwire/gateway'
import Table from 'cli-table3'

const HEAD = ['ID', 'NAME', 'ACCESS', 'SERVICES', 'CREATED', 'EXPIRES', 'LAST USED']

/** Tokens as people read them; `nowMs` decides which have expired. */
export function formatTokenTable(tokens: readonly ListedToken[], nowMs: number): string {
  const table = new Table({ head: HEAD, style: { head: [], border: [] } })
  for (const { id, name, readOnly, services, created, expires, lastUsed } of tokens) {
    const end = expires === undefined ? 'never' : `${fromIsoTime(expires) <= nowMs ? 'expired ' : ''}${shortTime(expires)}`
    const used = lastUsed === undefined ? 'never' : shortTime(lastUsed)
    table.push([id, name, readOnly ? 'read-only' : 'full', services?.join(', ') ?? 'all', shortTime(created), end, used])
  }
  return `${table.toString()}\n`
}

/** To the minute, in UTC as it is kept: `2026-11-21 14:26Z`. */
function shortTime(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')}Z`
}
