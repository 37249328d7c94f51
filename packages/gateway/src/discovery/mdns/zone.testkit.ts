import type { RecordData, ResourceRecord } from './resource-record.ts'
import { Zone } from './zone.ts'

export const HTTPS = ['_https', '_tcp', 'local']
export const HOST = ['press-4', 'local']
export const INSTANCE = ['io-module on press-4', ...HTTPS]

export function unique(name: readonly string[], data: RecordData, ttl = 120): ResourceRecord {
  return { name, ttl, unique: true, data }
}

export const ADDRESS = unique(HOST, { type: 'A', address: '10.0.0.5' })
export const POINTER: ResourceRecord = { name: HTTPS, ttl: 4500, unique: false, data: { type: 'PTR', target: INSTANCE } }
export const SERVER = unique(INSTANCE, { type: 'SRV', port: 443, target: HOST })
export const TEXT = unique(INSTANCE, { type: 'TXT', strings: [new TextEncoder().encode('path=/api/io/')] }, 4500)

/** A device with one service, the same on each of these interfaces. */
export function zoneOn(...interfaces: readonly string[]): Zone {
  return new Zone(new Map(interfaces.map((name) => [name, [ADDRESS, POINTER, SERVER, TEXT]])))
}

/** What the records of a message say, with TTL. */
export function told(records: readonly ResourceRecord[]): readonly string[] {
  return records.map(({ data, ttl }) => `${data.type} ${ttl}`)
}
