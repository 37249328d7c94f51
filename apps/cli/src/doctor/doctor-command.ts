import { messageOf, visible } from '@slotwire/core'
import { Command, Option } from 'commander'
import { port, serviceNames } from '../run/option-values.ts'
import { DEFAULT_DEV_ROOT, DEFAULT_SYS_ROOT, HARDWARE_CHOICES } from '../serve/hardware.ts'
import { jsonOption, stateOption } from '../state/state-folder.ts'
import { examples } from '../terminal/command-context.ts'
import { type Colors, counted, colors as ownColors } from '../terminal/text.ts'
import { blocked, type DoctorCheck, type Finding, failure } from './check.ts'
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
/** Longest text from outside to show, in characters. */
const MAX_CHARACTERS = 600

/** A line of the report, safe for a terminal; null: nothing to do. */
type ReportLine = Pick<Finding, 'outcome' | 'found'> & Record<'group' | 'name', string> & Record<'remedy', string | null>

/** The report as JSON. */
export type Diagnosis = Awaited<ReturnType<typeof diagnose>>

/** `slotwire doctor`. Exit code 0 if no check failed, otherwise 1. */
export function doctorCommand(known: readonly string[], context: host.DoctorContext): Command {
  return new Command('doctor')
    .description('Check this machine and the service, and print remedies')
    .addOption(new Option('--hardware <kind>', 'Select modules').choices(HARDWARE_CHOICES).default('auto'))
    .option('--sys-root <folder>', 'Use this folder as /sys', DEFAULT_SYS_ROOT)
    .option('--dev-root <folder>', 'Use this folder as /dev', DEFAULT_DEV_ROOT)
    .addOption(stateOption())
    .option('--services <names>', `Check only some of ${known.join()}`, serviceNames(known), known)
    .option('--port <number>', 'Check this loopback port (default: as configured)', port)
    .option('--power-manager <socket>', 'Require the power manager at this socket')
    .option('--user <name>', 'Check for this user (default: you)')
    .addOption(jsonOption())
    .addHelpText('after', examples('doctor', 'doctor --hardware twin', 'doctor --user slotwire'))
    .action(async (options: host.DoctorOptions, command: Command) => {
      const { colors = ownColors, print, setExitCode } = context
      const subject = await host.subjectOf(options, (option) => command.getOptionValueSource(option) === 'cli', context)
      const diagnosis = await diagnose(subject)
      print(options.json ? `${JSON.stringify(diagnosis)}\n` : formatDiagnosis(diagnosis, subject.about, colors))
      if (diagnosis.failures > 0) setExitCode(1)
    })
}

/** Queries the running service, and runs all checks one after the other. A check that throws has failed. */
export async function diagnose(planned: host.Subject) {
  const { hardware, clock, roots, user } = planned
  const isStuck = await host.isBlocked(clock, planned.service.state)
  const service = isStuck ? planned.service : await host.findService(planned.service, planned)
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
