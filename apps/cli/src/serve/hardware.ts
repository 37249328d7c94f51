import { readdirSync } from 'node:fs'
import { codeOf } from '@slotwire/core'
import { UsageError } from '../terminal/usage-error.ts'

/** Values of `--hardware`. `auto` is `kernel` if the kernel driver is loaded, otherwise `twin`. */
export const HARDWARE_CHOICES = ['kernel', 'twin', 'auto'] as const
export type HardwareChoice = (typeof HARDWARE_CHOICES)[number]

/** Real modules of this device, or a virtual device. */
export type Hardware = Exclude<HardwareChoice, 'auto'>

/** Default paths of the kernel's files. */
export const DEFAULT_SYS_ROOT = '/sys'
export const DEFAULT_DEV_ROOT = '/dev'

/** The options that select what to serve. */
export interface HardwareOptions {
  readonly hardware: HardwareChoice
  /** `/sys` and `/dev`; undefined: the default paths. */
  readonly sysRoot?: string
  readonly devRoot?: string
  /** Number of virtual devices, each on its own port. Undefined: one device, with a state folder and network doors. */
  readonly twins?: number
  /** Bus timing of a virtual device; undefined: instant. */
  readonly bus?: 'instant' | 'timed'
  /** File with what a virtual device begins with. */
  readonly rig?: string
  /** The address from which the bench API can be reached over the network; undefined: none. */
  readonly benchFrom?: string
  /** Whether to erase the saved state of virtual modules. */
  readonly resetState: boolean
}

/** Options that do not apply, by name: as typed, and the reason. */
export type InapplicableOptions<Name extends string> = Readonly<Partial<Record<Name, readonly [option: string, reason: string]>>>

const TWIN_REMEDY = 'a virtual device is served with --hardware twin'

const NOT_FOR_MODULES: InapplicableOptions<keyof HardwareOptions> = {
  twins: ['--twins', `there is only one real device; ${TWIN_REMEDY}`],
  benchFrom: ['--bench-from', `real modules have no bench; ${TWIN_REMEDY}`],
  rig: ['--rig', `real modules are wired by hand; ${TWIN_REMEDY}`],
  bus: ['--bus', `a real bus has its own timing; ${TWIN_REMEDY}`],
  resetState: ['--reset-state', `real modules keep their saved state; ${TWIN_REMEDY}`],
}

const NOT_FOR_A_TWIN: InapplicableOptions<keyof HardwareOptions> = {
  sysRoot: ['--sys-root', 'a twin has no kernel driver'],
  devRoot: ['--dev-root', 'a twin has no kernel driver'],
}

/** Decides what to serve. Throws `UsageError` for options that do not apply, or an unreadable `/sys`. */
export function hardwareOf(options: HardwareOptions): Hardware {
  const { hardware, sysRoot = DEFAULT_SYS_ROOT, twins } = options
  // `--twins` asks for virtual devices.
  const isTwin = hardware === 'twin' || (hardware === 'auto' && twins !== undefined)
  const served = !isTwin && (hasKernelDriver(sysRoot) || hardware === 'kernel') ? 'kernel' : 'twin'
  refuseInapplicable(served, options)
  return served
}

/** Throws `UsageError` for options that do not apply to this hardware. */
export function refuseInapplicable(hardware: Hardware, options: HardwareOptions): void {
  const modules = options.hardware === 'kernel' ? '--hardware kernel' : 'the modules of this device'
  if (hardware === 'kernel') refuseOptions(options, NOT_FOR_MODULES, modules)
  else if (options.hardware === 'twin') refuseOptions(options, NOT_FOR_A_TWIN, '--hardware twin')
}

/** Throws `UsageError` for a typed option that does not apply to `what`. */
export function refuseOptions(options: object, inapplicable: InapplicableOptions<string>, what: string): void {
  for (const [name, value] of Object.entries(options)) {
    const [option, reason] = inapplicable[name] ?? []
    if (option !== undefined && value !== undefined && value !== false)
      throw new UsageError(`${option} cannot be used with ${what}: ${reason}`)
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
    throw new UsageError(`${folder} cannot be read (${code}): it lists the modules of a device; ${TWIN_REMEDY}`, {
      cause: error,
    })
  }
}
