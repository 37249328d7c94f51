import type { Log, Version } from '@slotwire/core'
import type { DeviceService, DeviceServiceOptions } from '@slotwire/device'
import type { ServeOptions } from './serve-options.ts'

/** Options of every served device. */
export interface ServedDeviceOptions
  extends Pick<ServeOptions, 'services' | 'powerMode'>,
    Pick<
      DeviceServiceOptions,
      | 'boot'
      | 'extensions'
      | 'history'
      | 'limits'
      | 'metrics'
      | 'onWrite'
      | 'page'
      | 'pins'
      | 'powerManager'
      | 'sclkCapKhz'
      | 'warnings'
    > {
  readonly log: Log
}

/** A running server. `close` finishes running requests and frees all resources. */
export interface RunningServer {
  close(): Promise<void>
  /** Reads settings and certificates again. */
  reload(): Promise<void>
  /** What makes no progress, in one sentence; undefined: everything makes progress. Failing modules do not count. */
  stuck(): string | undefined
  /** What it serves now, and where, in one line. */
  status(): string
}

/**
 * A device with its driver and its service: real or virtual. While its time is stopped, it is not stuck. `close` takes at most the closing
 * deadline, in real time.
 */
export interface ServedDevice extends Pick<DeviceService, 'rack' | 'service'>, Pick<RunningServer, 'stuck' | 'close'> {
  /** Version of the kernel driver; undefined for a virtual device. */
  readonly kernelDriver?: Version
  /** Resolves when the device is ready. */
  start(): Promise<void>
  /** Sets device time permanently to its real pace, so that nothing waits for stopped time. Also ends a start. */
  release(): void
}
