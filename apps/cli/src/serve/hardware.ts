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

/** Options that do not go with something, by their names: as they are typed, and why. */
type Unfit<Name extends string> = Readonly<Partial<Record<Name, readonly [option: string, reason: string]>>>

const TWIN_REMEDY = 'a virtual device is served with --hardware twin'

const UNFIT_FOR_MODULES: Unfit<keyof HardwareOptions> = {
  twins: ['--twins', `there is one device here; ${TWIN_REMEDY}`],
  bus: ['--bus', `the bus takes what it takes; ${TWIN_REMEDY}`],
  resetState: ['--reset-state', `what modules have saved is in them, and stays; ${TWIN_REMEDY}`],
}

const UNFIT_FOR_A_TWIN: Unfit<keyof HardwareOptions> = {
  sysRoot: ['--sys-root', 'a twin has no kernel driver'],
  devRoot: ['--dev-root', 'a twin has no kernel driver'],
}

/** What is to be served. Throws `UsageError` for options that do not go with it, and for a `/sys` that cannot be read. */
export function hardwareOf(options: HardwareOptions): Hardware {
  const { hardware, sysRoot = DEFAULT_SYS_ROOT, twins } = options
  // Whoever wants many wants virtual ones.
  const isTwin = hardware === 'twin' || (hardware === 'auto' && twins !== undefined)
  const served = !isTwin && (hasKernelDriver(sysRoot) || hardware === 'kernel') ? 'kernel' : 'twin'
  refuseUnfit(served, options)
  return served
}

/** Throws `UsageError` for options that do not go with what is served. */
export function refuseUnfit(hardware: Hardware, options: HardwareOptions): void {
  const modules = options.hardware === 'kernel' ? '--hardware kernel' : 'the modules of this device'
  if (hardware === 'kernel') refuse(options, UNFIT_FOR_MODULES, modules)
  else if (options.hardware === 'twin') refuse(options, UNFIT_FOR_A_TWIN, '--hardware twin')
}

/** Throws `UsageError` for an option that was typed although it does not go with `what`. */
export function refuse(options: object, unfit: Unfit<string>, what: string): void {
  for (const [name, value] of Object.entries(options)) {
    const [option, reason] = unfit[name] ?? []
    if (option !== undefined && value !== undefined && value !== false)
      throw new UsageError(`${option} does not go with ${what}: ${reason}`)
  }
}

function hasKernelDriver(sysRoot: string): boolean {
  const folder = `${sysRoot}/class/sdbp`
  try {
    readdirSync(folder)
    return true
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT') return false
    throw new UsageError(`${folder} cannot be read (${code}): the modules of a device are found there; ${TWIN_REMEDY}`, {
      cause: error,
    })
  }
}
