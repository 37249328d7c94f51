import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { messageOf } from '@slotwire/core'
import { Command, Option } from 'commander'
import { HIGHEST_PORT, serviceNames, wholeNumber } from '../run/option-values.ts'
import { DEFAULT_DEV_ROOT, DEFAULT_SYS_ROOT, HARDWARE_CHOICES } from '../serve/hardware.ts'
import type { ServeOptions } from '../serve/serve-options.ts'
import { jsonOption, stateFolderOf, stateOption } from '../state/state-folder.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { examples } from '../terminal/command-context.ts'
import { type Colors, colors as ownColors } from '../terminal/text.ts'
import { blocked, type Check, type Finding, failure, type Subject, type Units } from './check.ts'
import { checkKernelModule, checkModules, checkPowerManager } from './hardware-checks.ts'
import { accountOf, isBlocked, ownAccount } from './host.ts'
import { checkOriginalServices } from './original-services.ts'
import { diagnosisOf, formatDiagnosis, type Group, type NamedFinding } from './report.ts'
import { findService } from './running-service.ts'
import { checkDoors, checkRunningService } from './service-checks.ts'
import { checkSlotAccess, checkSlotHolders, occupiedSlots, slotsFolder } from './slots.ts'
import { checkCertificates, checkClock, checkSettings, checkStateFolder, checkTokens } from './state-checks.ts'
import { checkUnits, installedUnits, serviceOf } from './units.ts'

/** All checks, in the order of the report, which leaves `Hardware` out for a virtual device. */
const CHECKS: readonly (readonly [Group, string, Check])[] = [
  ['Service', 'units', checkUnits],
  ['Service', 'running service', checkRunningService],
  ['Service', 'doors', checkDoors],
  ['Hardware', 'kernel module', checkKernelModule],
  ['Hardware', 'modules', checkModules],
  ['Hardware', 'slot access', checkSlotAccess],
  ['Hardware', 'slots in use', checkSlotHolders],
  ['Hardware', 'original services', checkOriginalServices],
  ['Hardware', 'power manager', checkPowerManager],
  ['State', 'state folder', checkStateFolder],
  ['State', 'settings', checkSettings],
  ['State', 'tokens', checkTokens],
  ['State', 'certificates', checkCertificates],
  ['Time', 'clock', checkClock],
]
/** Options that describe how the service is started. */
const SERVED = ['state', 'services', 'port', 'powerManager'] as const

/** What `doctor` needs from this program. */
export interface DoctorContext extends CommandContext {
  readonly setExitCode: (code: number) => void
  readonly colors?: Colors
  /** Instead of `/proc`, `/run` and `/etc`. */
  readonly roots?: Pick<Subject['roots'], 'proc' | 'run' | 'etc'>
}

interface Options extends Pick<ServeOptions, 'hardware' | 'state' | 'services' | 'port' | 'powerManager' | 'json'> {
  readonly sysRoot: string
  readonly devRoot: string
  readonly user?: string
}

/** `slotwire doctor`. Exit code 0 if no check failed, otherwise 1. */
export function doctorCommand(known: readonly string[], context: DoctorContext): Command {
  const hardware = new Option('--hardware <kind>', 'Select modules')
  const port = wholeNumber(0, HIGHEST_PORT, '; 0 picks a free port')
  return new Command('doctor')
    .description('Check this machine and the service, and print remedies')
    .addOption(hardware.choices(HARDWARE_CHOICES).default('auto'))
    .option('--sys-root <folder>', 'Use this folder as /sys', DEFAULT_SYS_ROOT)
    .option('--dev-root <folder>', 'Use this folder as /dev', DEFAULT_DEV_ROOT)
    .addOption(stateOption())
    .option('--services <names>', `Check only some of ${known.join()}`, serviceNames(known), known)
    .option('--port <number>', 'Check this loopback port (default: as configured)', port)
    .option('--power-manager <socket>', 'Require the power manager at this socket')
    .option('--user <name>', 'Check for this user (default: you)')
    .addOption(jsonOption())
    .addHelpText('after', examples('doctor', 'doctor --hardware twin', 'doctor --user slotwire'))
    .allowExcessArguments(false)
    .action(async (options: Options, command: Command) => {
      await run(options, (option) => command.getOptionValueSource(option) === 'cli', context)
    })
}

async function run(options: Options, isTyped: (option: string) => boolean, context: DoctorContext): Promise<void> {
  const { roots: given = { proc: '/proc', run: '/run', etc: '/etc' }, colors = ownColors, clock, wallTime } = context
  const roots = { sys: resolve(options.sysRoot), dev: resolve(options.devRoot), ...given }
  const units = await installedUnits(roots.run)
  const evidence = evidenceOfHardware(roots.sys, units)
  const found = evidence === undefined ? 'twin' : 'kernel'
  const hardware = options.hardware === 'auto' ? found : options.hardware
  const user = options.user === undefined ? ownAccount() : await accountOf(options.user)
  const ofUnit = SERVED.some(isTyped) || hardware === 'twin' ? undefined : serviceOf(units)
  const planned = ofUnit ?? {
    ...{ state: stateFolderOf(options, context), isStateTyped: isTyped('state'), services: options.services, port: options.port },
    powerManager: options.powerManager === undefined ? undefined : resolve(options.powerManager),
  }
  const slots = hardware === 'twin' ? [] : await occupiedSlots(roots, clock)
  const findings = await runChecks({ hardware, roots, user, clock, date: wallTime(), units, service: planned, slots })
  const diagnosis = diagnosisOf({ hardware, user: user.name }, findings)
  const device = hardware === 'kernel' ? 'A service on real hardware' : 'A service with a virtual device'
  const reason = evidence ?? `${roots.sys}/class/sdbp does not exist: there is no real hardware here`
  const about = `${device}${options.hardware === 'auto' ? ` (${reason})` : ''}, run by ${user.name}`
  context.print(options.json ? `${JSON.stringify(diagnosis)}\n` : formatDiagnosis(diagnosis, about, colors))
  if (diagnosis.failures > 0) context.setExitCode(1)
}

/** Evidence that this device has real hardware, even if it does not work now. Undefined without any. */
function evidenceOfHardware(sys: string, units: Units): string | undefined {
  const path = [`${sys}/class/sdbp`, `${sys}/module/sdbpk`].find((one) => existsSync(one))
  if (path !== undefined) return `${path} exists`
  const unit = typeof units === 'string' ? undefined : units.find((one) => one['ExecStart']?.includes('--hardware kernel'))
  return unit === undefined ? undefined : `${unit['Id'] ?? ''} is installed`
}

/** Queries the running service, and runs all checks one after the other. A check that throws has failed. */
export async function runChecks(planned: Subject): Promise<readonly NamedFinding[]> {
  const { hardware, clock, roots } = planned
  const isStuck = await isBlocked(clock, planned.service.state)
  const service = isStuck ? planned.service : await findService(planned.service, clock)
  const isStateBlocked = isStuck || (await isBlocked(clock, service.state))
  const lines: NamedFinding[] = []
  for (const [group, name, check] of CHECKS.filter(([one]) => hardware === 'kernel' || one !== 'Hardware')) {
    const readsState = group === 'State' || check === checkRunningService || check === checkDoors
    const present = isStateBlocked && readsState ? () => blocked(service.state) : check
    const findings = await examine(present, { ...planned, service }).catch((error: unknown) => {
      const place = group === 'Hardware' ? slotsFolder(roots) : service.state
      return [failure(`cannot be examined (${messageOf(error)})`, `Examine it as root: ${place}.`)]
    })
    lines.push(...findings.map((finding) => ({ ...finding, group, name: finding.name ?? name, remedy: finding.remedy ?? null })))
  }
  return lines
}

/** The findings of a check, or why it threw. */
const examine = async (check: Check, subject: Subject): Promise<readonly Finding[]> => [await check(subject)].flat()
