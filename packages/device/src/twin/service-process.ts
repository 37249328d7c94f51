import type { AddressInfo } from 'node:net'
import { silentLog } from '@slotwire/core'
import { listen } from '@slotwire/edge'
import type { Service } from '@slotwire/service'
import { HostProcess } from '@slotwire/twin'
import { createDeviceService, type DeviceService, type DeviceServiceOptions } from '../device-service.ts'

/** A request like that of a client on the device. */
export interface ProcessRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** As in `/api/io/1.0/3/input/values`. */
  readonly path: string
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface ProcessAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>
  /** Parsed JSON of the body, or its text for another type; undefined without a body. */
  readonly body: unknown
}

/** Sends a request to a service in this process, without a socket. */
export async function ask(
  service: Pick<Service, 'inject'>,
  { method, path, body, headers = {} }: ProcessRequest,
): Promise<ProcessAnswer> {
  const sent = body === undefined ? {} : { payload: JSON.stringify(body) }
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const answer = await service.inject({ method, url: path, headers: { ...type, ...headers }, ...sent })
  return { status: answer.statusCode, headers: answer.headers, body: bodyOf(answer.body, answer.headers['content-type']) }
}

function bodyOf(text: string, contentType: unknown): unknown {
  if (text === '') return undefined
  return String(contentType).startsWith('application/json') ? JSON.parse(text) : text
}

/** A client's error for a service that does not run, or is killed before it answers; codes as of sockets. */
export class ServiceGone extends Error {
  override readonly name = 'ServiceGone'

  constructor(readonly code: 'ECONNREFUSED' | 'ECONNRESET') {
    super(
      code === 'ECONNRESET' ? 'the service was killed before its answer' : 'the service is not running: startService() starts it',
    )
  }
}

/** One run of driver and HTTP service, as a process that can be killed. */
export class ServiceProcess {
  /** Called when the process is killed. */
  readonly #waiting = new Set<(gone: ServiceGone) => void>()

  private constructor(
    readonly device: DeviceService,
    private readonly host: HostProcess,
  ) {}

  /** Opens nothing yet. */
  static async create(options: DeviceServiceOptions): Promise<ServiceProcess> {
    const { backplane, clock, log = silentLog, realTime } = options
    const host = new HostProcess({ backplane, clock, log })
    const own = {
      backplane: host.backplane,
      clock: host.clock,
      ...(realTime === undefined ? {} : { realTime: host.wrapClock(realTime) }),
    }
    return new ServiceProcess(await createDeviceService({ ...options, ...own }), host)
  }

  /** Takes the modules. Rejects with `ServiceGone` if it is killed meanwhile. */
  start(): Promise<void> {
    return this.#unlessKilled(() => this.device.start())
  }

  /** Rejects with `ServiceGone` if it is killed meanwhile, and with the system's error. */
  async listen(at: { readonly host: string; readonly port: number }): Promise<AddressInfo> {
    return (await this.#unlessKilled(() => listen(this.device.service, at))).address
  }

  /** Rejects with `ServiceGone` if it is killed meanwhile. */
  request(request: ProcessRequest): Promise<ProcessAnswer> {
    return this.#unlessKilled(() => ask(this.device.service, request))
  }

  /** Acts like SIGKILL: ends timers and connections at once, and the kernel closes the slots. Resolves when the ports are free. */
  async kill(): Promise<void> {
    this.host.kill()
    for (const reject of [...this.#waiting]) reject(new ServiceGone('ECONNRESET'))
    await this.device.service.abort()
  }

  /** A killed process starts nothing. Work in progress at the kill ends in the service, which closes a door that opens too late. */
  #unlessKilled<Result>(begin: () => Promise<Result>): Promise<Result> {
    if (this.host.killed) return Promise.reject(new ServiceGone('ECONNREFUSED'))
    const work = begin()
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject)
      work.then(resolve, reject).finally(() => this.#waiting.delete(reject))
    })
  }
}
