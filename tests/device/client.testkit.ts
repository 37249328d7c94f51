import { type ConnectOptions, connectWith, type DeviceOf, type Transport } from '@slotwire/client'
import { createTwin, type Twin } from '@slotwire/device/twin'
import * as clients from '@slotwire/modules/clients'
import { onTestFinished } from 'vitest'

export type TestDevice = DeviceOf<typeof clients>

/** 50 mA on the 5 V rail for each pin. */
export const FIFTY_MILLIAMPERE = Array.from({ length: 6 }, () => ({ rail: '5_volt', current_milliampere: 50 }) as const)

/** The default twin at a port of its own. */
export async function servedTwin(): Promise<{ twin: Twin; url: string }> {
  const twin = await createTwin()
  onTestFinished(() => twin.close())
  const url = await twin.listen()
  await twin.start()
  return { twin, url }
}

/** A client of an address, closed when the test ends. */
export async function connected(address: Parameters<typeof connectWith>[1], options?: ConnectOptions): Promise<TestDevice> {
  const device = await connectWith(clients, address, options)
  onTestFinished(() => device.close())
  return device
}

/** Sends requests to `url`, but to a server without `/slotwire/`: only the specification. */
export function onlySpecification(url: string): Transport {
  return (path, init) =>
    path.startsWith('/slotwire')
      ? Promise.resolve(Response.json({ status: 'error', code: 404, message: 'Not Found' }, { status: 404 }))
      : fetch(url + path, init)
}

/** What a scripted server does with a request. */
export type Answer = Response | Error | 'hang'

/** A transport that answers each request with the next of these; the last one again and again. */
export function scripted(...answers: readonly Answer[]): { transport: Transport; requests: string[] } {
  const requests: string[] = []
  const transport: Transport = (path, { method, signal }) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)]
    requests.push(`${method} ${path}`)
    if (answer instanceof Response) return Promise.resolve(answer.clone())
    if (answer instanceof Error) return Promise.reject(answer)
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
  }
  return { transport, requests }
}
