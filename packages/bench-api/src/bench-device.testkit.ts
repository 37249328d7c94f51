import { ManualClock, PacedClock } from '@slotwire/core'
import { catalog, createTwin, type Twin, type TwinOptions } from '@slotwire/device/twin'
import { onTestFinished } from 'vitest'
import { createBenchExtension } from './bench-extension.ts'

export interface Told {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  /** Of an error. */
  readonly message: unknown
}

/** The default twin with its bench over HTTP, switched on. Real time is a clock that stands until it is advanced. */
export class BenchDevice {
  readonly real: ManualClock
  readonly time: PacedClock
  readonly twin: Twin<PacedClock>

  private constructor(real: ManualClock, time: PacedClock, twin: Twin<PacedClock>) {
    this.real = real
    this.time = time
    this.twin = twin
  }

  /** Closed after the test. */
  static async start(options: Pick<TwinOptions, 'log' | 'onWrite'> = {}): Promise<BenchDevice> {
    const real = new ManualClock()
    const time = new PacedClock(real)
    const extensions = (device: Twin) => [createBenchExtension({ device, time, catalog })]
    const twin = await createTwin({ clock: time, realTime: real, extensions, ...options })
    await twin.start()
    onTestFinished(() => twin.close())
    return new BenchDevice(real, time, twin)
  }

  async ask(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Told> {
    const { status, body: told } = await this.twin.request({ method, path, ...(body === undefined ? {} : { body }) })
    const fields = told as Readonly<Record<string, unknown>>
    return { status, body: fields, message: fields['message'] }
  }

  /** What a GET below `/slotwire/bench` tells. */
  async look(path = ''): Promise<Readonly<Record<string, unknown>>> {
    return (await this.ask('GET', `/slotwire/bench${path}`)).body
  }

  /** A POST below `/slotwire/bench/`. */
  act(path: string, body?: unknown): Promise<Told> {
    return this.ask('POST', `/slotwire/bench/${path}`, body)
  }

  /** A resource of the API. */
  async read(path: string): Promise<Readonly<Record<string, unknown>>> {
    return (await this.ask('GET', `/api/${path}`)).body
  }
}
