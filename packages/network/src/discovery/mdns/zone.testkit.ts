import type { ResourceRecord } from './dns-message.ts'
import { Zone } from './zone.ts'

export const HTTPS = '_https._tcp.local'
export const HOST = 'press-4.local'
export const INSTANCE = `io-module on press-4.${HTTPS}`

/** Type and data of a record. */
type TypeAndData<Type = ResourceRecord> = Type extends ResourceRecord ? Pick<Type, 'type' | 'data'> : never

export function unique(name: string, content: TypeAndData, ttl = 120): ResourceRecord {
  return { name, ttl, flush: true, ...content }
}

export function pointerTo(instance: string): ResourceRecord {
  return { name: HTTPS, ttl: 4500, flush: false, type: 'PTR', data: instance }
}

export const ADDRESS = unique(HOST, { type: 'A', data: '10.0.0.5' })
export const POINTER = pointerTo(INSTANCE)
export const SERVER = unique(INSTANCE, { type: 'SRV', data: { port: 443, target: HOST } })
export const TEXT = unique(INSTANCE, { type: 'TXT', data: [Buffer.from('path=/api/io/')] }, 4500)

/** A device with one service, the same on each of these interfaces. */
export function zoneOn(...interfaces: readonly string[]): Zone {
  return new Zone(new Map(interfaces.map((name) => [name, [ADDRESS, POINTER, SERVER, TEXT]])))
}

/** Types and TTLs of records. */
export function typesAndTtls(records: readonly ResourceRecord[]): readonly string[] {
  return records.map(({ type, ttl }) => `${type} ${ttl}`)
}
