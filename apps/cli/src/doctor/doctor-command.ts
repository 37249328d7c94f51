import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { messageOf, visible } from '@slotwire/core'
import { Command, Option } from 'commander'
import { port, serviceNames } from '../run/option-values.ts'
import { DEFAULT_DEV_ROOT, DEFAULT_SYS_ROOT, HARDWARE_CHOICES } from '../serve/hardware.ts'
import type { ServeOptions } from '../serve/serve-options.ts'
import { jsonOption, stateFolderOf, stateOption } from '../state/state-folder.ts'
import { type CommandContext, examples } from '../terminal/command-context.ts'
import { type Colors, colors as ownColors } from '../terminal/text.ts'
import { blocked, type Check, type Finding, failure, type Subject, type Units } from './check.ts'
import * as hardwareChecks from './hardware-checks.ts'
import { accountOf, isBlocked, ownAccount } from './host.ts'
import * as serviceChecks from './service-checks.ts'
import * as stateChecks from './state-checks.ts'

/** All checks, in the order of the report, which leaves `Hardware` out for a virtual device. */
const CHECKS: readonly (readonly [string, string, Check])[] = [
  ['Service', 'units', serviceChecks.checkUnits],
  ['Service', 'running service', serviceChecks.checkRunningService],
  ['Service', 'doors', serviceChecks.checkDoors],
  ['Hardware', 'kernel module', hardwareChecks.checkKernelModule],
  ['Hardware', 'modules', hardwareChecks.checkModules],
  ['Hardware', 'slot access', hardwareChecks.checkSlotAccess],
  ['Hardware', 'slots in use', hardwareChecks.checkSlotHolders],
  ['Hardware', 'original services', serviceChecks.checkOriginalServices],
  ['Hardware', 'power manager', hardwareChecks.checkPowerManager],
  ['State', 'state folder', stateChecks.checkStateFolder],
  ['State', 'settings', stateChecks.checkSettings],
  ['State', 'tokens', stateChecks.checkTokens],
  ['State', 'certificates', stateChecks.checkCertificates],
  ['Time', 'clock', stateChecks.checkClock],
]
/** Checks outside of `State` that read the state folder. */
const READ_STATE = ['running service', 'doors']
/** Options that describe how the service is started. */
const SERVED = ['state', 'services', 'port', 'powerManager'] as const
/** Longest text from outside to show, in characters. */
const MOST_CHARACTERS = 600

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

/** A line of the report, safe for a terminal. */
export interface NamedFinding extends Pick<Finding, 'outcome' | 'found'> {
  readonly group: string
  readonly name: string
  /** Null: nothing to do. */
  readonly remedy: string | null
}

/** The report as JSON. */
export type Diagnosis = ReturnType<typeof diagnosisOf>

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
  const { roots: given = { proc: '/proc', run: '/run', etc: '/etc' }, colors = ownColors, clock, wallTime } = context
  const roots = { sys: resolve(options.sysRoot), dev: resolve(options.devRoot), ...given }
  const units = await serviceChecks.installedUnits(roots.run)
  const evidence = evidenceOfHardware(roots.sys, units)
  const found = evidence === undefined ? 'twin' : 'kernel'
  const hardware = options.hardware === 'auto' ? found : options.hardware
  const user = options.user === undefined ? ownAccount() : await accountOf(options.user)
  const ofUnit = SERVED.some(isTyped) || hardware === 'twin' ? undefined : serviceChecks.serviceOf(units)
  const powerManager = options.powerManager === undefined ? undefined : resolve(options.powerManager)
  const { services, port: loopbackPort } = options
  const typed = {
    state: stateFolderOf(options, context),
    isStateTyped: isTyped('state'),
    services,
    port: loopbackPort,
    powerManager,
  }
  const slots = hardware === 'twin' ? [] : await hardwareChecks.occupiedSlots(roots, clock)
  const subject = { hardware, roots, user, clock, date: wallTime(), units, service: ofUnit ?? typed, slots }
  const diagnosis = diagnosisOf(subject, await runChecks(subject))
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
  const service = isStuck ? planned.service : await serviceChecks.findService(planned.service, clock)
  const isStateBlocked = isStuck || (await isBlocked(clock, service.state))
  const shown = (text: string): string => visible(text, MOST_CHARACTERS)
  const lines: NamedFinding[] = []
  for (const [group, title, check] of CHECKS.filter(([one]) => hardware === 'kernel' || one !== 'Hardware')) {
    const isSkipped = isStateBlocked && (group === 'State' || READ_STATE.includes(title))
    const present = async (): Promise<Finding | readonly Finding[]> => check({ ...planned, service })
    const place = group === 'Hardware' ? hardwareChecks.slotsFolder(roots) : service.state
    const thrown = (error: unknown): Finding =>
      failure(`cannot be examined (${messageOf(error)})`, `Examine it as root: ${place}.`)
    const findings = isSkipped ? blocked(service.state) : await present().catch(thrown)
    for (const { name = title, outcome, found, remedy } of [findings].flat())
      lines.push({ group, name: shown(name), outcome, found: shown(found), remedy: remedy === undefined ? null : shown(remedy) })
  }
  return lines
}

function diagnosisOf({ hardware, user }: Subject, checks: readonly NamedFinding[]) {
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
  const many = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`
  const sum = `${many(checks.length, 'check')}: ${many(failures, 'failure')}, ${many(warnings, 'warning')}`
  const worst = failures > 0 ? 'failure' : warnings > 0 ? 'warning' : 'ok'
  return `${[visible(about, MOST_CHARACTERS), ...lines, paint[worst](sum)].join('\n')}\n`
}
