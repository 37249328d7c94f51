import { rootCertificates } from 'node:tls'
import { createBenchExtension } from '@slotwire/bench-api'
import { ManualClock, nextTurn, PacedClock, SystemClock } from '@slotwire/core'
import { catalog, createTwin, type Twin } from '@slotwire/device/twin'
import { basic } from './device.ts'
import { answerOf, type DeviceWire, type DnsAnswer, nodeWire } from './wire.ts'

export const TOKEN = 'secret'
const MAX_WAIT_MS = 60_000
const KEYS = { vendor: 'Acme', 'machine-id': '/machine-id', 'tls-ca': '/ca.pem' }

/** The default twin with its bench, behind a door that asks for a token, as one wire. Its time stands still until a check waits. */
export class CorrectDevice {
  readonly wire: DeviceWire

  private constructor(
    readonly twin: Twin,
    private readonly real: ManualClock,
    url: string,
  ) {
    const socket = nodeWire({ url }, new SystemClock())
    this.wire = {
      host: 'device.local',
      token: TOKEN,
      addresses: async () => ['192.0.2.7'],
      browse: async (type) => announced(type),
      raw: socket.raw,
      sleep: (ms) => real.advance(ms),
      now: () => real.now(),
      request: async ({ method, path, headers: { authorization, ...headers }, body }) => {
        if (path === '/machine-id') return answerOf(200, { 'content-type': 'text/plain' }, 'abc123\n')
        if (path === '/ca.pem') return answerOf(200, { 'content-type': 'application/x-pem-file' }, rootCertificates[0] ?? '')
        if (authorization !== basic('token', TOKEN)) return answerOf(401, {}, '')
        const payload = body === undefined ? {} : { payload: body }
        const answer = await this.#until(twin.service.inject({ method: method as 'GET', url: path, headers, ...payload }))
        return answerOf(answer.statusCode, answer.headers, answer.body)
      },
    }
  }

  static async start(): Promise<CorrectDevice> {
    const real = new ManualClock()
    const time = new PacedClock(real)
    const twin = await createTwin({
      clock: time,
      realTime: real,
      extensions: (device) => [createBenchExtension({ device, time, catalog })],
    })
    await twin.start()
    return new CorrectDevice(twin, real, await twin.listen())
  }

  /** Most answers need no time; some need real time of the device. */
  async #until<Result>(work: Promise<Result>): Promise<Result> {
    let isOver = false
    const over = (): void => {
      isOver = true
    }
    work.then(over, over)
    for (let turn = 0; turn < 30 && !isOver; turn++) await nextTurn()
    for (let ms = 0; ms < MAX_WAIT_MS && !isOver; ms += 10) await this.real.advance(10)
    return work
  }
}

/** What the device announces of a service type. */
function announced(type: string): readonly DnsAnswer[] {
  const port = type.startsWith('_https') ? 443 : 80
  const services = ['io', 'bmc', 'power'].flatMap((service): DnsAnswer[] => {
    const name = `${service}.${type}`
    const txt = { ...KEYS, path: `/api/${service}/`, service: `${service}-module` }
    return [
      { type: 'PTR', name: type, data: name },
      { type: 'SRV', name, data: { target: 'device.local', port } },
      { type: 'TXT', name, data: Object.entries(txt).map(([key, value]) => Buffer.from(`${key}=${value}`)) },
    ]
  })
  return [...services, { type: 'A', name: 'device.local', data: '192.0.2.7' }]
}
