import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import type { MqttClient } from 'mqtt'
import { expect } from 'vitest'
import { SlotwireProcess } from '../program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../temporary-folder.testkit.ts'
import { clock } from './mosquitto.testkit.ts'

const WAIT_MS = 60_000
const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** Sends JSON to a device, and returns its answer. */
export function send(url: string, path: string, body?: object): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const sent = request(new URL(path, url), { agent, method: body === undefined ? 'GET' : 'POST', headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      answer.on('end', () => {
        if (path === '/machine-id') resolve({ id: text.trim() })
        else resolve(JSON.parse(text) as Record<string, unknown>)
      })
    })
    // The device closed an idle connection at the same moment.
    sent.on('error', (error) => {
      if (sent.reusedSocket && 'code' in error && ['ECONNRESET', 'EPIPE'].includes(String(error.code)))
        resolve(send(url, path, body))
      else reject(error)
    })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

export interface Twin {
  readonly url: string
  readonly id: string
}

/** Serves twins in a process of their own. */
export async function twins(count: number): Promise<{ readonly process: SlotwireProcess; readonly twins: readonly Twin[] }> {
  const served = new SlotwireProcess(['serve', '--twins', String(count), '--port', '0', '--json', '--log-level', 'warn'])
  const announced = JSON.parse(await served.firstLine()) as { readonly twins: readonly { readonly url: string }[] }
  const known = await Promise.all(
    announced.twins.map(async ({ url }): Promise<Twin> => ({ url, id: String((await send(url, '/machine-id'))['id']) })),
  )
  return { process: served, twins: known }
}

/** Starts a bridge for these devices. */
export function bridge(broker: string, devices: readonly Twin[], ...options: readonly string[]): SlotwireProcess {
  const file = join(temporaryFolder(), 'devices.txt')
  writeFileSync(file, devices.map(({ url }) => `${url}\n`).join(''))
  const started = new SlotwireProcess(['bridge', '--mqtt', broker, '--urls-file', file, ...options])
  return started
}

/** All that a client received, by topic, with the time of its arrival. */
export class Received {
  /** The newest text of each topic. */
  readonly texts = new Map<string, string>()
  readonly messages: { readonly topic: string; readonly text: string; readonly retain: boolean; readonly qos: number }[] = []
  readonly #listeners = new Set<(topic: string, text: string) => void>()

  private constructor(readonly client: MqttClient) {
    client.on('message', (topic, payload, { retain, qos }) => {
      const text = payload.toString()
      this.texts.set(topic, text)
      if (!topic.endsWith('/state')) this.messages.push({ topic, text, retain, qos })
      for (const listener of this.#listeners) listener(topic, text)
    })
  }

  static async of(client: MqttClient, filter = 'slotwire/#'): Promise<Received> {
    const received = new Received(client)
    await client.subscribeAsync(filter, { qos: 1, rap: true })
    return received
  }

  on(listener: (topic: string, text: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Resolves when `holds`, looked at with each message. */
  async until(what: string, holds: () => boolean): Promise<void> {
    if (holds()) return
    await new Promise<void>((resolve, reject) => {
      const late = clock.after(WAIT_MS, () => reject(new Error(`not within ${WAIT_MS} ms: ${what}`)))
      const remove = this.on(() => {
        if (!holds()) return
        remove()
        late.cancel()
        resolve()
      })
    })
  }

  /** The status of a device: `online`, `offline`, or undefined without one. */
  stateOf({ id }: Twin): string | undefined {
    return this.statusOf({ id })['state']
  }

  statusOf({ id }: Pick<Twin, 'id'>): Readonly<Record<string, string | undefined>> {
    return JSON.parse(this.texts.get(`slotwire/${id}/status`) ?? '{}') as Record<string, string>
  }

  /** Resolves when all devices are online. */
  async allOnline(devices: readonly Twin[]): Promise<void> {
    await this.until('all devices are online', () => devices.every((twin) => this.stateOf(twin) === 'online'))
  }

  /** Resolves when all devices are offline. */
  async allOffline(devices: readonly Twin[]): Promise<void> {
    await this.until('all devices are offline', () => devices.every((twin) => this.stateOf(twin) === 'offline'))
  }

  /** The ids of the alerts of a device, in the order of their arrival. */
  alertsOf({ id }: Twin): readonly string[] {
    return this.messages
      .filter(({ topic }) => topic.startsWith(`slotwire/${id}/`) && topic.endsWith('/alert'))
      .map(({ text }) => String((JSON.parse(text) as { id: unknown }).id))
  }
}

/** Lets slot 5 of a twin raise an alert whenever the clock signal at its pin 4 rises, a hundred times a second. */
export async function raiseAlerts({ url }: Twin): Promise<void> {
  const body = { pin: 4, threshold_millivolt: 1500, trigger: 'rising' }
  expect(await send(url, '/api/io/1.0/5/input/analog/threshold', body)).toEqual({ status: 'success' })
}

/** The ids of the alerts in the journal of a device so far. */
export async function journalOf({ url }: Twin): Promise<readonly string[]> {
  const page = await send(url, '/slotwire/events?kinds=alert&wait=1s&after=1-0')
  const messages = page['messages'] as readonly { readonly kind: string; readonly id: string }[]
  return messages.filter(({ kind }) => kind === 'alert').map(({ id }) => id)
}
