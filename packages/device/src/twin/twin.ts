import { isIPv4 } from 'node:net'
import { type Clock, MAX_SEED, meant, type Random, SLOT_COUNT, SystemClock, seededRandom, shown } from '@slotwire/core'
import { MAX_SCLK_KHZ, MAX_WAITING_JOBS, MIN_SCLK_KHZ, type Rack } from '@slotwire/driver'
import type { Journal } from '@slotwire/events'
import * as firmwares from '@slotwire/modules/firmwares'
import type { ServedExtension, Service } from '@slotwire/service'
import {
  type Bench,
  type BenchCalls,
  benchCalls,
  Chassis,
  type ChassisOptions,
  checked,
  integer,
  STALL_MS,
  VolatileMemory,
} from '@slotwire/twin'
import type { DeviceServiceOptions } from '../device-service.ts'
import { createBench } from './default-device.ts'
import { applyRig, chassisFor, type Rig } from './rig.ts'
import { type ProcessAnswer, type ProcessRequest, ServiceGone, ServiceProcess } from './service-process.ts'

/** Default seed for serial codes, fans, faults and all other random values. */
const DEFAULT_SEED = 1
/** Separates the random sequences of driver and device. */
const DRIVER_SEED_STEP = 0x9e3779b9
const LOOPBACK = '127.0.0.1'

/** Module types by slot. */
export type Layout = Readonly<Record<number, keyof typeof firmwares>>

export interface TwinOptions
  extends Omit<DeviceServiceOptions, 'backplane' | 'clock' | 'random' | 'extensions' | 'history' | 'page' | 'twinTime'>,
    Pick<ChassisOptions, 'bus' | 'onTransfer'> {
  /** The twin's time; default the system clock. A `ManualClock` stands still until it is advanced. */
  readonly clock?: Clock
  /** Clock for the doors and for closing, independent of twin time; default the system clock. */
  readonly realTime?: Clock
  /** The same seed gives the same device and the same bytes on its bus: 0…2³²−1, default 1. */
  readonly seed?: number
  /** Non-volatile memory of the module in a slot; by default it is lost with the twin. */
  readonly memory?: ChassisOptions['memory']
  /** Modules without wiring; `{}` for an empty chassis. Default: the default device with its wiring (twin.md). */
  readonly layout?: Layout
  /** Other modules, wiring, elements, supply and USB devices that it begins with: `parseRig` of `slotwire/scenario` reads a file. */
  readonly rig?: Rig
  /** Extensions beside the module API; created for every started service. */
  readonly extensions?: (twin: Twin) => readonly ServedExtension[]
}

/** Every option, for callers without types. */
const OPTIONS: Readonly<Record<keyof TwinOptions, true>> = {
  clock: true,
  realTime: true,
  seed: true,
  memory: true,
  layout: true,
  rig: true,
  extensions: true,
  bus: true,
  pins: true,
  onTransfer: true,
  limits: true,
  metrics: true,
  onWrite: true,
  warnings: true,
  log: true,
  services: true,
  drivesOnlyServed: true,
  powerMode: true,
  powerManager: true,
  sclkCapKhz: true,
  queueLimit: true,
  boot: true,
  wallTime: true,
}
const SLOTS = Array.from({ length: SLOT_COUNT }, (_, slot) => String(slot))
const MODULE_TYPES: readonly string[] = Object.keys(firmwares)

/** A virtual device with its bench, its driver and its HTTP service, in this process. */
export type Twin<Time extends Clock = Clock> = Omit<VirtualDevice, 'clock'> & { readonly clock: Time }

/** Makes a virtual device, switched off. Rejects with `RangeError` for an option, a module type or a service that does not exist. */
export function createTwin<Time extends Clock>(options: TwinOptions & { readonly clock: Time }): Promise<Twin<Time>>
export function createTwin(options?: TwinOptions): Promise<Twin>
export async function createTwin(options: TwinOptions = {}): Promise<Twin> {
  const { clock = new SystemClock({ maxLatenessMs: STALL_MS }), seed = DEFAULT_SEED } = options
  for (const name of Object.keys(options)) refuseUnknown('option', name, Object.keys(OPTIONS))
  const { layout = {} } = options
  for (const slot of Object.keys(layout)) refuseUnknown('slot', slot, SLOTS)
  for (const type of Object.values(layout)) refuseUnknown('module type', type, MODULE_TYPES)
  if (layout instanceof Map) throw new RangeError('createTwin: layout is a Map: write an object, such as { 3: "io" }')
  if (options.bus !== undefined) refuseUnknown('bus', options.bus, ['instant', 'timed'])
  if (options.powerMode !== undefined) refuseUnknown('powerMode', options.powerMode, ['strict', 'weak'])
  for (const service of options.services ?? []) refuseUnknown('service', service, MODULE_TYPES)
  checked('seed', integer({ min: 0, max: MAX_SEED }), seed)
  checked('createTwin: queueLimit', integer({ min: 0, max: MAX_WAITING_JOBS }), options.queueLimit ?? MAX_WAITING_JOBS)
  checked('createTwin: sclkCapKhz', integer({ min: MIN_SCLK_KHZ, max: MAX_SCLK_KHZ }), options.sclkCapKhz ?? MAX_SCLK_KHZ)
  if (typeof clock.now !== 'function') throw new RangeError('createTwin: clock is not a clock: write new ManualClock()')
  if (options.memory !== undefined && typeof options.memory !== 'function')
    throw new RangeError('createTwin: memory is not a function: write (slot) => memory of its module')
  return VirtualDevice.create(clock, seed, options)
}

function refuseUnknown(what: string, name: string, known: readonly string[]): void {
  if (!known.includes(name)) throw new RangeError(`createTwin: there is no ${what} ${shown(name)}: ${meant(name, known)}`)
}

class VirtualDevice {
  readonly chassis: Chassis
  readonly bench: Bench
  /** Every action of the bench, with the fields that it has over HTTP and in scenarios. */
  readonly actions: BenchCalls
  readonly #realTime: Clock | undefined
  readonly #random: Random
  readonly #doors: { readonly host: string; readonly port: number }[] = []
  #process: ServiceProcess | undefined
  /** Set while a service is being created. */
  #creating: Promise<ServiceProcess> | undefined
  /** Number of the next start of the service. */
  #boot: number
  #isOn = false
  #closed = false

  private constructor(
    readonly clock: Clock,
    seed: number,
    private readonly options: TwinOptions,
  ) {
    this.chassis = chassisOf(clock, seed, options)
    this.bench = createBench(this.chassis)
    applyRig(this.bench, options.rig ?? {})
    this.actions = benchCalls(this.bench, firmwares)
    // With the paused clock of a device, the doors would never time out.
    this.#realTime = options.realTime ?? (options.clock === undefined ? undefined : new SystemClock())
    this.#random = seededRandom(seed + DRIVER_SEED_STEP)
    this.#boot = options.boot ?? 1
  }

  static async create(clock: Clock, seed: number, options: TwinOptions): Promise<VirtualDevice> {
    const device = new VirtualDevice(clock, seed, options)
    await device.#createService()
    return device
  }

  /** Rack of the running service. Throws `ServiceGone` if none runs. */
  get rack(): Rack {
    return this.#running().device.rack
  }

  /** The running service. Throws `ServiceGone` if none runs. */
  get service(): Service {
    return this.#running().device.service
  }

  /** Everything that happened to the running service. Throws `ServiceGone` if none runs. */
  get journal(): Journal {
    return this.#running().device.journal
  }

  /** Switches the device on, once; resolves when its modules are ready. Rejects after `close`. */
  async start(): Promise<void> {
    this.#checkOpen()
    if (this.#isOn) throw new Error('the device is switched on already')
    this.#isOn = true
    await this.chassis.powerOn()
    await this.#process?.start()
  }

  /** Answers like the loopback door. Rejects with `ServiceGone` if the service is killed meanwhile or does not run. */
  async request(request: ProcessRequest): Promise<ProcessAnswer> {
    return this.#running().request(request)
  }

  /** Opens a loopback door; resolves with its URL. After a kill the next service opens it again. Port 0, the default, selects a free port. */
  async listen({ host = LOOPBACK, port = 0 }: { readonly host?: string; readonly port?: number } = {}): Promise<string> {
    checkLoopback(host)
    const address = await this.#running().listen({ host, port })
    this.#doors.push({ host, port: address.port })
    return `http://${isIPv4(host) ? host : `[${host}]`}:${address.port}`
  }

  /** Kills the service like SIGKILL: the modules get no command, the kernel closes their slots. */
  async killService(): Promise<void> {
    await this.#creating
    const process = this.#running()
    this.#process = undefined
    await process.kill()
  }

  /** Starts a killed service again: new sessions, same doors. Rejects after `close`. */
  async startService(): Promise<void> {
    const process = await this.#createService()
    try {
      for (const door of this.#doors) await process.listen(door)
      if (this.#isOn) await process.start()
    } catch (error) {
      // Kill a service that could not open all doors, unless it was killed meanwhile.
      if (this.#process === process) await this.killService()
      throw error
    }
  }

  async #createService(): Promise<ServiceProcess> {
    this.#checkOpen()
    if (this.#process !== undefined || this.#creating !== undefined)
      throw new Error('the service is already running: killService() ends it')
    const { clock } = this
    const { extensions, ...options } = this.options
    this.#creating = ServiceProcess.create({
      ...options,
      ...(this.#realTime === undefined ? {} : { realTime: this.#realTime }),
      ...(extensions === undefined ? {} : { extensions: extensions(this) }),
      backplane: this.chassis,
      clock,
      twinTime: clock,
      random: this.#random,
      boot: this.#boot++,
    })
    try {
      this.#process = await this.#creating
      return this.#process
    } finally {
      this.#creating = undefined
    }
  }

  /** Cuts connections, ends the service and switches the device off, immediately and permanently. Leaves no timers. */
  async close(): Promise<void> {
    this.#closed = true
    // The caller of startService gets the error of a failed start.
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
    if (this.#closed) throw new Error('the device is closed: make a new one with createTwin()')
  }

  #running(): ServiceProcess {
    if (this.#process === undefined) throw new ServiceGone('ECONNREFUSED')
    return this.#process
  }
}

function chassisOf(clock: Clock, seed: number, options: TwinOptions): Chassis {
  const { memory = () => new VolatileMemory(), layout, rig = {} } = options
  const chassisOptions = { ...options, clock, seed, random: seededRandom(seed), memory }
  if (layout === undefined) return chassisFor(rig, chassisOptions)
  const chassis = new Chassis(chassisOptions)
  for (const [slot, type] of Object.entries(layout)) chassis.plug(Number(slot), firmwares[type])
  return chassis
}

/** A door without credentials must not be reachable from other machines. */
function checkLoopback(host: string): void {
  if (host === '::1' || (isIPv4(host) && host.startsWith('127.'))) return
  throw new RangeError(`host is ${host}: use an address of this machine, ${LOOPBACK} or ::1`)
}
