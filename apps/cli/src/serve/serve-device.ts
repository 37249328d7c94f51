import type { Log, Version } from '@slotwire/core'
import type { DeviceService, DeviceServiceOptions } from '@slotwire/device'
import type { ServeOptions } from './serve-options.ts'

/** What every device that is served is made with. */
export interface ServedDeviceOptions
  extends Pick<ServeOptions, 'services' | 'powerMode'>,
    Pick<DeviceServiceOptions, 'documented' | 'limits' | 'metrics' | 'onWrite' | 'powerManager' | 'sclkCapKhz' | 'warnings'> {
  readonly log: Log
}

/** A server that runs; `close` finishes running requests and gives everything back. */
export interface Served {
  close(): Promise<void>
  /** Reads settings and certificates anew. */
  reload(): Promise<void>
  /** What does not get on, in one sentence; undefined: everything does. Modules that fail are none of it. */
  stuck(): string | undefined
  /** What it serves now, and where, in one line. */
  status(): string
}

/** A device with its driver and its service: this one's modules, or a virtual one. */
export interface ServedDevice extends Pick<DeviceService, 'rack' | 'service'> {
  /** Version of the kernel driver; undefined: a virtual device, which has none. */
  readonly kernelDriver?: Version
  /** Resolves when it can be used. */
  start(): Promise<void>
  /** Has its time go at its real pace from now on, so that nothing waits for it: also a start ends then. */
  release(): void
  /** What driver and adapter do not get on with, in one sentence; undefined: they make progress, or their time stands still. */
  stuck(): string | undefined
  /** Finishes running requests, at most as long as closing may take, however its time goes; then lets go of the modules. */
  close(): Promise<void>
}
