import type { AddressInfo } from 'node:net'
import { silentLog } from '@slotwire/core'
import { listen } from '@slotwire/edge'
import { HostProcess } from '@slotwire/twin'
import { createDeviceService, type DeviceService, type DeviceServiceOptions } from '../device-service.ts'
import { ask, type ProcessAnswer, type ProcessRequest } from './service-request.ts'

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
    return this.#unlessKilled(() => this.device.start())
  }

  /** Rejects with `ServiceGone` when it is killed meanwhile, and with the system's error. */
  async listen(at: { readonly host: string; readonly port: number }): Promise<AddressInfo> {
    return (await this.#unlessKilled(() => listen(this.device.service, at))).address
  }

  /** Rejects with `ServiceGone` when it is killed meanwhile. */
  request(request: ProcessRequest): Promise<ProcessAnswer> {
    return this.#unlessKilled(() => ask(this.device.service, request))
  }

  /** As SIGKILL does: its timers and connections are gone at once, the kernel closes its slots. Resolves when its ports are free. */
  async kill(): Promise<void> {
    this.#host.kill()
    for (const tell of [...this.#waiting]) tell(new ServiceGone('ECONNRESET'))
    await this.device.service.abort()
  }

  /** A killed process begins nothing. What it was at when it was killed ends in the service, which gives back a door that opens too late. */
  #unlessKilled<Result>(begin: () => Promise<Result>): Promise<Result> {
    if (this.#host.killed) return Promise.reject(new ServiceGone('ECONNREFUSED'))
    const work = begin()
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject)
      work.then(resolve, reject).finally(() => this.#waiting.delete(reject))
    })
  }
}
