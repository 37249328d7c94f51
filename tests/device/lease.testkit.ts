import { expect } from 'vitest'
import type { Answer, Device } from './device.testkit.ts'

type Headers = Readonly<Record<string, string>>

export const LEASES = '/slotwire/leases'
export const asked = { slots: [5], holder: 'line 3', ttl_seconds: 10, on_lapse: 'keep' } as const
export const leaseHeader = (secret: unknown): Headers => ({ 'slotwire-lease': String(secret) })

/** A request with a body and headers. */
export function send(
  device: Device,
  path: string,
  body: unknown,
  headers: Headers = {},
  method: 'POST' | 'PUT' | 'DELETE' = 'POST',
) {
  const payload = body === undefined ? undefined : JSON.stringify(body)
  return device.send(method, path, payload, { 'content-type': 'application/json', ...headers })
}

/** A lease as its holder has it. Advances no time. */
export async function lease(device: Device, more: object = {}): Promise<{ number: number; secret: string; header: Headers }> {
  const { status, body } = await send(device, LEASES, { ...asked, ...more })
  expect({ status, body }).toMatchObject({ status: 200 })
  const { number, secret } = body as unknown as { number: number; secret: string }
  return { number, secret, header: leaseHeader(secret) }
}

/** Status and error name of an answer; `200` alone for a success. */
export const outcome = ({ status, headers }: Answer) => [status, headers['slotwire-error']].filter(Boolean).join(' ')
