import { isIPv4 } from 'node:net'
import { type Clock, checked, HIGHEST_SEED, type Random, SystemClock, seededRandom, wholeNumber } from '@slotwire/core'
import type { Rack } from '@slotwire/driver'
import * as firmwares from '@slotwire/modules/firmwares'
import type { ServedExtension, Service } from '@slotwire/service'
import { type Bench, Chassis, type ChassisOptions, STALL_MS, VolatileMemory } from '@slotwire/twin'
import type { DeviceServiceOptions } from '../device-service.ts'
import { createBench } from './create-bench.ts'
import { defaultChassis } from './default-device.ts'
import { ServiceGone, ServiceProcess } from './service-process.ts'
import type { ProcessAnswer, ProcessRequest } from './service-request.ts'

/** Of serial codes, fans, faults and all else that is random, unless told otherwise. */
const DEFAULT_SEED = 1
/** Tells the randomness of the driver from that of the device. */
const DRIVER_SEED_STEP = 0x9e3779b9
const LOOPBACK = '127.0.0.1'
/** Doors of one device. */
const MOST_DOORS = 100

/** What is in which slot. */
export type Layout = Readonly<Record<number, keyof typeof firmwares>>

export interface TwinOptions
  extends Omit<DeviceServiceOptions, 'backplane' | 'clock' | 'random' | 'extensions'>,
    Pick<ChassisOptions, 'bus' | 'restartMs' | 'onTransfer'> {
  /** The twin's time; the system's unless told otherwise. A `ManualClock` stands still until it is advanced. */
  readonly clock?: Clock
  /** What the doors and the end go by, however the twin's time goes: the system's unless told otherwise. */
  readonly realTime?: Clock
  /** The same seed gives the same device and the same bytes on its bus: 0…2³²−1, default 1. */
  readonly seed?: number
  /** Non-volatile memory of the module in a slot; it ends with the twin unless told otherwise. */
  readonly memory?: ChassisOptions['memory']
  /** With nothing wired to it; `{}` for an empty chassis. The default device with its wiring (twin.md) if not given. */
  readonly layout?: Layout
  /** What is served beside the API of the modules: made anew for every service that is started. */
  readonly extensions?: (twin: Twin) => readonly ServedExtension[]
}

/** A virtual device with its bench, its driver and its HTTP service, in this process. */
export interface Twin<Time extends Clock = Clock> {
  readonly clock: Time
  readonly chassis: Chassis
  readonly bench: Bench
  /** Of the service that runs now. Both throw `ServiceGone` while none does. */
  readonly rack: Rack
  readonly service: Service
  /** Switches the device on, once; resolves when its modules can be used. Rejects when it is closed. */
  start(): Promise<void>
  /** Answers as the loopback door would. Rejects with `ServiceGone` when the service is killed meanwhile, or does not run. */
  request(request: ProcessRequest): Promise<ProcessAnswer>
  /** Opens a loopback door, which a killed service loses and the next one has again; resolves with its URL. Port 0, the default, picks one. */
  listen(at?: { readonly host?: string; readonly port?: number }): Promise<string>
  /** Ends the service as SIGKILL would: nothing is said to the modules, the kernel closes their slots. */
  killService(): Promise<void>
  /** Starts a killed service anew: other sessions, the same doors. Rejects when the device is closed. */
  startService(): Promise<void>
  /** Cuts connections, ends the service and switches the device off, all at once and for good. Nothing is left. */
  close(): Promise<void>
}

/** Makes a virtual device, not yet switched on. */
export function createTwin<Time extends Clock>(options: TwinOptions & { readonly clock: Time }): Promise<Twin<Time>>
export function createTwin(options?: TwinOptions): Promise<Twin>
export async function createTwin(options: TwinOptions = {}): Promise<Twin> {
  const { clock = new SystemClock({ maxLatenessMs: STALL_MS }), seed = DEFAULT_SEED } = options
  checked('seed', wholeNumber(0, HIGHEST_SEED), seed)
  const twin = new VirtualDevice(clock, seed, options)
  await twin.createService()
  return twin
}

interface DoorAddress {
  readonly host: string
  readonly port: number
}

class VirtualDevice implements Twin {
  readonly clock: Clock
  readonly chassis: Chassis
  readonly bench: Bench
  readonly #options: TwinOptions
  readonly #realTime: Clock | undefined
  readonly #random: Random
  readonly #doors: DoorAddress[] = []
  #process: ServiceProcess | undefined
  /** While a service comes to be. */
  #creating: Promise<ServiceProcess> | undefined
  #isOn = false
  #closed = false
  /** How many doors do not listen yet. */
  #opening = 0

  constructor(clock: Clock, seed: number, options: TwinOptions) {
    this.clock = clock
    this.chassis = chassisOf(clock, seed, options)
    this.bench = createBench(this.chassis)
    this.#options = options
    // Of a device whose time stands still the doors would never give up.
    this.#realTime = options.realTime ?? (options.clock === undefined ? undefined : new SystemClock())
    this.#random = seededRandom(seed + DRIVER_SEED_STEP)
  }

  get rack(): Rack {
    return this.#present().device.rack
  }

  get service(): Service {
    return this.#present().device.service
  }

  async start(): Promise<void> {
    this.#checkOpen()
    if (this.#isOn) throw new Error('the device is switched on already')
    this.#isOn = true
    await this.chassis.powerOn()
    await this.#process?.start()
  }

  async request(request: ProcessRequest): Promise<ProcessAnswer> {
    return this.#present().request(request)
  }

  async listen({ host = LOOPBACK, port = 0 }: { readonly host?: string; readonly port?: number } = {}): Promise<string> {
    checkLoopback(host)
    if (this.#doors.length + this.#opening >= MOST_DOORS)
      throw new RangeError(`there are ${MOST_DOORS} doors, the most there can be`)
    const process = this.#present()
    this.#opening++
    try {
      const address = await process.listen({ host, port })
      this.#doors.push({ host, port: address.port })
      return `http://${isIPv4(host) ? host : `[${host}]`}:${address.port}`
    } finally {
      this.#opening--
    }
  }

  async killService(): Promise<void> {
    await this.#creating
    const process = this.#present()
    this.#process = undefined
    await process.kill()
  }

  async startService(): Promise<void> {
    const process = await this.createService()
    try {
      for (const door of this.#doors) await process.listen(door)
      if (this.#isOn) await process.start()
    } catch (error) {
      // A service with half of its doors is none; one that was killed meanwhile is gone already.
      if (this.#process === process) await this.killService()
      throw error
    }
  }

  async createService(): Promise<ServiceProcess> {
    this.#checkOpen()
    if (this.#process !== undefined || this.#creating !== undefined)
      throw new Error('the service runs already: killService() ends it')
    const { clock } = this
    const { extensions, ...options } = this.#options
    this.#creating = ServiceProcess.create({
      ...options,
      ...(this.#realTime === undefined ? {} : { realTime: this.#realTime }),
      ...(extensions === undefined ? {} : { extensions: extensions(this) }),
      backplane: this.chassis,
      clock,
      random: this.#random,
    })
    try {
      this.#process = await this.#creating
      return this.#process
    } finally {
      this.#creating = undefined
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    // Whoever starts a service hears why it did not come to be.
    await Promise.allSettled([this.#creating])
    const process = this.#process
    this.#process = undefined
    try {
      await process?.kill()
    } finally {
      this.chassis.powerOff()
      this.#isOn = false
    }
  }

  #checkOpen(): void {
    if (this.#closed) throw new Error('the device is closed: createTwin() makes another')
  }

  #present(): ServiceProcess {
    if (this.#process === undefined) throw new ServiceGone('ECONNREFUSED')
    return this.#process
  }
}

function chassisOf(clock: Clock, seed: number, options: TwinOptions): Chassis {
  const { memory = () => new VolatileMemory(), layout } = options
  const chassisOptions = { ...options, clock, random: seededRandom(seed), memory }
  if (layout === undefined) return defaultChassis(chassisOptions)
  const chassis = new Chassis(chassisOptions)
  for (const [slot, type] of Object.entries(layout)) chassis.plug(Number(slot), firmwares[type])
  return chassis
}

/** A door without credentials must not be reachable from elsewhere. */
function checkLoopback(host: string): void {
  if (host === '::1' || (isIPv4(host) && host.startsWith('127.'))) return
  throw new RangeError(`host is ${host}: an address of this machine alone, ${LOOPBACK} or ::1`)
}
