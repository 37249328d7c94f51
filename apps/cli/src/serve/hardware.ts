import { readdirSync } from 'node:fs'
import { codeOf } from '@slotwire/core'
import { UsageError } from '../terminal/usage-error.ts'

/** What can be typed: `auto` is the kernel's modules where there is the kernel driver, a twin elsewhere. */
export const HARDWARE_CHOICES = ['kernel', 'twin', 'auto'] as const
export type HardwareChoice = (typeof HARDWARE_CHOICES)[number]

/** What is served: the modules of this device, or a virtual device. */
export type Hardware = Exclude<HardwareChoice, 'auto'>

/** Where the kernel shows itself on a device. */
export const DEFAULT_SYS_ROOT = '/sys'
export const DEFAULT_DEV_ROOT = '/dev'

/** What was typed of what is to be served. */
export interface HardwareOptions {
  readonly hardware: HardwareChoice
  /** `/sys` and `/dev` of the kernel; undefined: where they are on a device. */
  readonly sysRoot?: string
  readonly devRoot?: string
  /** How many virtual devices to serve, each on a port of its own; undefined: one, with a state folder and doors for the network. */
  readonly twins?: number
  /** Of a virtual device; undefined: instant. */
  readonly bus?: 'instant' | 'timed'
  /** Whether virtual modules are to forget what they have saved. */
  readonly resetState: boolean
}

/** What only a twin has, as it is typed, and how it is with the modules of a device. */
const OF_TWINS = {
  twins: ['--twins', 'there is one device here'],
  bus: ['--bus', 'the bus takes what it takes'],
  resetState: ['--reset-state', 'what modules have saved is in them, and stays'],
} as const satisfies Partial<Record<keyof HardwareOptions, readonly [option: string, reason: string]>>

/** What only the kernel has. */
const OF_THE_KERNEL = { sysRoot: '--sys-root', devRoot: '--dev-root' } as const satisfies Partial<
  Record<keyof HardwareOptions, string>
>

/** What is to be served. Throws `UsageError` for options that do not go with it, and for a `/sys` that cannot be read. */
export function hardwareOf(options: HardwareOptions): Hardware {
  const hardware = chosen(options)
  refuseUnfit(hardware, options)
  return hardware
}

/** Throws `UsageError` for options that do not go with what is served. */
export function refuseUnfit(hardware: Hardware, options: HardwareOptions): void {
  if (hardware === 'kernel') refuseOfTwins(options)
  else if (options.hardware === 'twin') refuseOfTheKernel(options)
}

function chosen({ hardware, sysRoot = DEFAULT_SYS_ROOT, twins }: HardwareOptions): Hardware {
  // Whoever wants many wants virtual ones.
  if (hardware === 'twin' || (hardware === 'auto' && twins !== undefined)) return 'twin'
  const isDevice = hasKernelDriver(sysRoot)
  return hardware === 'kernel' || isDevice ? 'kernel' : 'twin'
}

function hasKernelDriver(sysRoot: string): boolean {
  const folder = `${sysRoot}/class/sdbp`
  try {
    readdirSync(folder)
    return true
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT') return false
    throw new UsageError(
      `${folder} cannot be read (${String(code)}): the modules of a device are found there; a virtual device is served with --hardware twin`,
      { cause: error },
    )
  }
}

function refuseOfTwins(options: HardwareOptions): void {
  const typed: Partial<Record<string, unknown>> = { ...options }
  const kernel = options.hardware === 'kernel' ? '--hardware kernel' : 'the modules of this device'
  for (const [name, [option, reason]] of Object.entries(OF_TWINS)) {
    if (typed[name] === undefined || typed[name] === false) continue
    throw new UsageError(`${option} does not go with ${kernel}: ${reason}; a virtual device is served with --hardware twin`)
  }
}

function refuseOfTheKernel(options: HardwareOptions): void {
  const typed: Partial<Record<string, unknown>> = { ...options }
  for (const [name, option] of Object.entries(OF_THE_KERNEL)) {
    if (typed[name] !== undefined) throw new UsageError(`${option} does not go with --hardware twin: a twin has no kernel driver`)
  }
}
