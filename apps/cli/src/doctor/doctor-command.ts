import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { messageOf, visible } from '@slotwire/core'
import { Command, Option } from 'commander'
import { port, serviceNames } from '../run/option-values.ts'
import { DEFAULT_DEV_ROOT, DEFAULT_SYS_ROOT, HARDWARE_CHOICES } from '../serve/hardware.ts'
import type { ServeOptions } from '../serve/serve-options.ts'
import { jsonOption, stateFolderOf, stateOption } from '../state/state-folder.ts'
import { type CommandContext, examples } from '../terminal/command-context.ts'
import { type Colors, counted, colors as ownColors } from '../terminal/text.ts'
import { blocked, type DoctorCheck, type Finding, failure, type Subject } from './check.ts'
import * as hardwareChecks from './hardware-checks.ts'
import * as host from './host.ts'
import * as serviceChecks from './service-checks.ts'
import * as stateChecks from './state-checks.ts'

/** All checks, in the order of the report, which leaves `Hardware` out for a virtual device: group, name, what it reads, check. */
const CHECKS: readonly (readonly [group: string, title: string, reads: 'system' | 'slots' | 'state', check: DoctorCheck])[] = [
  ['Service', 'units', 'system', serviceChecks.checkUnits],
  ['Service', 'running service', 'state', serviceChecks.checkRunningService],
  ['Service', 'doors', 'state', serviceChecks.checkDoors],
  ['Hardware', 'kernel module', 'slots', hardwareChecks.checkKernelModule],
  ['Hardware', 'modules', 'slots', hardwareChecks.checkModules],
  ['Hardware', 'slot access', 'slots', hardwareChecks.checkSlotAccess],
  ['Hardware', 'slots in use', 'slots', hardwareChecks.checkSlotHolders],
  ['Hardware', 'original services', 'state', serviceChecks.checkOriginalServices],
  ['Hardware', 'power manager', 'slots', hardwareChecks.checkPowerManager],
  ['State', 'state folder', 'state', stateChecks.checkStateFolder],
  ['State', 'settings', 'state', stateChecks.checkSettings],
  ['State', 'tokens', 'state', stateChecks.checkTokens],
  ['State', 'certificates', 'state', stateChecks.checkCertificates],
  ['Time', 'clock', 'system', stateChecks.checkClock],
]
/** Options that describe how the service is started. */
const SERVED = ['state', 'services', 'port', 'powerManager'] as const
/** Longest text from outside to show, in characters. */
const MAX_CHARACTERS = 600

/** What `doctor` needs from this program. */
export interface DoctorContext extends CommandContext {
  readonly colors?: Colors
  /** Instead of `/proc`, `/run` and `/etc`. */
  readonly roots?: Pick<Subject['roots'], 'proc' | 'run' | 'etc'>
}

interface Options extends Pick<ServeOptions, 'hardware' | 'state' | 'services' | 'port' | 'powerManager' | 'json'> {
  readonly sysRoot: string
  readonly devRoot: string
  readonly user?: string
}

/** A line of the report, safe for a terminal; null: nothing to do. */
type ReportLine = Pick<Finding, 'outcome' | 'found'> & Record<'group' | 'name', string> & Record<'remedy', string | null>

/** The report as JSON. */
export type Diagnosis = Awaited<ReturnType<typeof diagnose>>

/** `slotwire doctor`. Exit code 0 if no check failed, otherwise 1. */
export function doctorCommand(known: readonly string[], context: DoctorContext): Command {
  const hardware = new Option('--hardware <kind>', 'Select modules')
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
  const { roots: otherRoots = { proc: '/proc', run: '/run', etc: '/etc' }, colors = ownColors, clock, wallTime } = context
  const roots = { sys: resolve(options.sysRoot), dev: resolve(options.devRoot), ...otherRoots }
  const { systemd, units } = await serviceChecks.installedUnits(roots.run)
  const evidence = evidenceOfHardware(roots.sys, units)
  const detected = evidence === undefined ? 'twin' : 'kernel'
  const hardware = options.hardware === 'auto' ? detected : options.hardware
  const user = options.user === undefined ? host.ownAccount() : await host.accountOf(options.user)
  const ofUnit = SERVED.some(isTyped) || hardware === 'twin' ? undefined : serviceChecks.serviceOf(units)
  const { services, port: loopbackPort } = options
  const powerManager = options.powerManager && resolve(options.powerManager)
  const state = stateFolderOf(options, context)
  const service = ofUnit ?? { state, isStateTyped: isTyped('state'), services, port: loopbackPort, powerManager }
  const sockets = await host.listeningSockets()
  const slots = hardware === 'twin' ? [] : await host.occupiedSlots(roots, clock)
  const diagnosis = await diagnose({ hardware, roots, user, clock, date: wallTime(), systemd, units, sockets, service, slots })
  const device = hardware === 'kernel' ? 'A service on real hardware' : 'A service with a virtual device'
  const reason = evidence ?? `${roots.sys}/class/sdbp does not exist: there is no real hardware here`
  const about = `${device}${options.hardware === 'auto' ? ` (${reason})` : ''}, run by ${user.name}`
  context.print(options.json ? `${JSON.stringify(diagnosis)}\n` : formatDiagnosis(diagnosis, about, colors))
  if (diagnosis.failures > 0) context.setExitCode(1)
}

/** Evidence that this device has real hardware, even if it does not work now. Undefined without any. */
function evidenceOfHardware(sys: string, units: Subject['units']): string | undefined {
  const path = [`${sys}/class/sdbp`, `${sys}/module/sdbpk`].find((one) => existsSync(one))
  if (path !== undefined) return `${path} exists`
  const unit = units.find((one) => one['ExecStart']?.includes('--hardware kernel'))
  return unit && `${unit['Id'] ?? ''} is installed`
}

/** Queries the running service, and runs all checks one after the other. A check that throws has failed. */
export async function diagnose(planned: Subject) {
  const { hardware, clock, roots, user } = planned
  const isStuck = await host.isBlocked(clock, planned.service.state)
  const service = isStuck ? planned.service : await serviceChecks.findService(planned.service, planned)
  const isStateBlocked = isStuck || (await host.isBlocked(clock, service.state))
  const shown = (text: string): string => visible(text, MAX_CHARACTERS)
  const checks: ReportLine[] = []
  for (const [group, title, reads, check] of CHECKS.filter(([one]) => hardware === 'kernel' || one !== 'Hardware')) {
    const isSkipped = reads === 'state' && isStateBlocked
    const present = async () => (isSkipped ? blocked(service.state) : check({ ...planned, service }))
    const place = reads === 'state' ? service.state : host.slotsFolder(roots)
    const thrown = (error: unknown) => failure(`cannot be examined (${messageOf(error)})`, `Examine it as root: ${place}.`)
    for (const { name = title, outcome, found, remedy } of [await present().catch(thrown)].flat())
      checks.push({ group, name: shown(name), outcome, found: shown(found), remedy: remedy === undefined ? null : shown(remedy) })
  }
  const count = (wanted: Finding['outcome']): number => checks.filter(({ outcome }) => outcome === wanted).length
  return { hardware, user: user.name, failures: count('failure'), warnings: count('warning'), checks }
}

/** Text for people: a line for each finding with its remedy below, the totals at the end. */
function formatDiagnosis({ checks, failures, warnings }: Diagnosis, about: string, colors: Colors): string {
  const paint = { ok: colors.green, warning: colors.yellow, failure: colors.red }
  const width = Math.max(...checks.map(({ name }) => name.length))
  const indent = ' '.repeat('  failure  '.length)
  const lines = checks.flatMap(({ group, outcome, name, found, remedy }, index) => [
    ...(group === checks[index - 1]?.group ? [] : [colors.bold(group)]),
    `  ${paint[outcome](outcome.padEnd('failure'.length))}  ${name.padEnd(width)}  ${found}`,
    ...(remedy === null ? [] : [`${indent}→ ${remedy}`]),
  ])
  const sum = `${counted(checks.length, 'check')}: ${counted(failures, 'failure')}, ${counted(warnings, 'warning')}`
  const worst = failures > 0 ? 'failure' : warnings > 0 ? 'warning' : 'ok'
  return `${[visible(about, MAX_CHARACTERS), ...lines, paint[worst](sum)].join('\n')}\n`
}
