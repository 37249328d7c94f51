import type { AddressInfo } from 'node:net'
import { silentLog } from '@slotwire/core'
import { HostProcess } from '@slotwire/twin'
import { createDeviceService, type DeviceService, type DeviceServiceOptions } from './device-service.ts'

/** A request as a client on the device would make it. */
export interface ProcessRequest {
  readonly method: 'GET' | 'POST'
  /** As in `/api/io/1.0/3/input/values`. */
  readonly path: string
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface ProcessAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>
  /** The JSON of the body, or its text where it is none; undefined where there is none. */
  readonly body: unknown
}

/** What a client hears of a service that does not run, or ends while it waits: as sockets have it. */
export class ServiceGone extends Error {
  override readonly name = 'ServiceGone'
  readonly code: 'ECONNREFUSED' | 'ECONNRESET'

  constructor(code: 'ECONNREFUSED' | 'ECONNRESET') {
    super(
      code === 'ECONNRESET' ? 'the service was killed before it answered' : 'the service does not run: startService() starts it',
    )
    this.code = code
  }
}

/** One run of driver and HTTP service, as a process that can be killed. */
export class ServiceProcess {
  readonly device: DeviceService
  readonly #host: HostProcess
  /** Told when the process is killed. */
  readonly #waiting = new Set<(gone: ServiceGone) => void>()

  private constructor(device: DeviceService, host: HostProcess) {
    this.device = device
    this.#host = host
  }

  /** Nothing is opened yet. */
  static async create(options: DeviceServiceOptions): Promise<ServiceProcess> {
    const { backplane, clock, log = silentLog, realTime } = options
    const host = new HostProcess({ backplane, clock, log })
    const own = {
      backplane: host.backplane,
      clock: host.clock,
      ...(realTime === undefined ? {} : { realTime: host.clockOver(realTime) }),
    }
    return new ServiceProcess(await createDeviceService({ ...options, ...own }), host)
  }

  /** Takes the modules. Rejects with `ServiceGone` when it is killed meanwhile. */
  start(): Promise<void> {
    return this.#unlessKilled(this.device.start())
  }

  /** Rejects with `ServiceGone` when it is killed meanwhile, and with the system's error. */
  async listen(at: { readonly host: string; readonly port: number }): Promise<AddressInfo> {
    return (await this.#unlessKilled(this.device.service.listen(at))).address
  }

  /** Rejects with `ServiceGone` when it is killed meanwhile. */
  async request({ method, path, body, headers = {} }: ProcessRequest): Promise<ProcessAnswer> {
    const sent = body === undefined ? {} : { payload: JSON.stringify(body) }
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const answered = this.device.service.inject({ method, url: path, headers: { ...type, ...headers }, ...sent })
    const answer = await this.#unlessKilled(answered)
    return { status: answer.statusCode, headers: answer.headers, body: bodyOf(answer.body, answer.headers['content-type']) }
  }

  /** As SIGKILL does: its timers and connections are gone at once, the kernel closes its slots. Resolves when its ports are free. */
  async kill(): Promise<void> {
    this.#host.kill()
    for (const tell of [...this.#waiting]) tell(new ServiceGone('ECONNRESET'))
    await this.device.service.cut()
  }

  #unlessKilled<Result>(work: Promise<Result>): Promise<Result> {
    if (this.#host.killed) return Promise.reject(new ServiceGone('ECONNREFUSED'))
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject)
      work.then(resolve, reject).finally(() => this.#waiting.delete(reject))
    })
  }
}

function bodyOf(text: string, contentType: unknown): unknown {
  if (text === '') return undefined
  return String(contentType).startsWith('application/json') ? JSON.parse(text) : text
}
