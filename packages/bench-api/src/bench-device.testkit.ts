import type { Endpoint } from '@slotwire/contract'
import { ManualClock, PacedClock } from '@slotwire/core'
import { catalog, createTwin, type Twin, type TwinOptions } from '@slotwire/device/twin'
import { onTestFinished } from 'vitest'
import { createBenchExtension } from './bench-extension.ts'

export interface Reply {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  /** Message of an error. */
  readonly message: unknown
}

/** The default twin with its bench over HTTP, switched on. Its real time stands still until it is advanced. */
export class BenchDevice {
  private constructor(
    readonly real: ManualClock,
    readonly time: PacedClock,
    readonly twin: Twin<PacedClock>,
  ) {}

  /** The device is closed after the test. */
  static async start(options: Pick<TwinOptions, 'log' | 'onWrite' | 'rig'> = {}): Promise<BenchDevice> {
    const real = new ManualClock()
    const time = new PacedClock(real)
    const extensions = (device: Twin) => [createBenchExtension({ device, time, catalog })]
    const twin = await createTwin({ clock: time, realTime: real, extensions, ...options })
    await twin.start()
    onTestFinished(() => twin.close())
    return new BenchDevice(real, time, twin)
  }

  async ask(method: Endpoint['method'], path: string, body?: unknown): Promise<Reply> {
    const { status, body: reply } = await this.twin.request({ method, path, ...(body === undefined ? {} : { body }) })
    const fields = reply as Readonly<Record<string, unknown>>
    return { status, body: fields, message: fields['message'] }
  }

  /** Body of a GET below `/slotwire/bench`. */
  async get(path = ''): Promise<Readonly<Record<string, unknown>>> {
    return (await this.ask('GET', `/slotwire/bench${path}`)).body
  }

  /** A POST below `/slotwire/bench/`. */
  post(path: string, body?: unknown): Promise<Reply> {
    return this.ask('POST', `/slotwire/bench/${path}`, body)
  }

  /** Body of a GET below `/api`. */
  async read(path: string): Promise<Readonly<Record<string, unknown>>> {
    return (await this.ask('GET', `/api/${path}`)).body
  }
}
