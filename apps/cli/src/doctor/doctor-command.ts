import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { HIGHEST_PORT, serviceNames, wholeNumber } from '../run/option-values.ts'
import { DEFAULT_DEV_ROOT, DEFAULT_SYS_ROOT, HARDWARE_CHOICES } from '../serve/hardware.ts'
import { type ServeOptions } from '../serve/serve-options.ts'
import { stateFolderOf, stateOption } from '../state/state-option.ts'
import { type Colors, colors as ownColors } from '../terminal/colors.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { examples } from '../terminal/help.ts'
import { accountOf, ownAccount } from './account.ts'
import { type CheckProcessOptions, runChecks } from './check-process.ts'
import { diagnosisOf, formatDiagnosis } from './report.ts'
import type { PlannedService, Subject, Units } from './subject.ts'
import { installedUnits, servicesOf } from './units.ts'

const FAILURE_EXIT_CODE = 1
/** Options that describe how the service is started. */
const SERVED = ['state', 'services', 'port', 'powerManager'] as const

/** What `doctor` needs from this program. */
export interface DoctorContext
  extends Pick<CommandContext, 'print' | 'environment' | 'platform' | 'home' | 'wallTime'>,
    CheckProcessOptions {
  readonly setExitCode: (code: number) => void
  readonly colors?: Colors
  /** Instead of `/proc` and `/run`. */
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
  return new Command('doctor')
    .description('Check this machine and the service, and print remedies')
    .addOption(hardware.choices(HARDWARE_CHOICES).default('auto'))
    .option('--sys-root <folder>', 'Use this folder as /sys', DEFAULT_SYS_ROOT)
    .option('--dev-root <folder>', 'Use this folder as /dev', DEFAULT_DEV_ROOT)
    .addOption(stateOption())
    .option('--services <names>', `Check only some of ${known.join()}`, serviceNames(known), known)
    .option(
      '--port <number>',
      'Check this loopback port (default: as configured)',
      wholeNumber(0, HIGHEST_PORT, '; 0 picks a free port'),
    )
    .option('--power-manager <socket>', 'Require the power manager at this socket')
    .option('--user <name>', 'Check for this user (default: you)')
    .option('--json', 'Print one line of JSON instead of text', false)
    .addHelpText('after', examples('doctor', 'doctor --hardware twin', 'doctor --user slotwire'))
    .allowExcessArguments(false)
    .action(async (options: Options, command: Command) => {
      const typed = SERVED.filter((option) => command.getOptionValueSource(option) === 'cli')
      await run(options, typed, context)
    })
}

async function run(options: Options, typed: readonly string[], context: DoctorContext): Promise<void> {
  const { print, setExitCode, roots: given = { proc: '/proc', run: '/run', etc: '/etc' }, colors = ownColors } = context
  const roots = { sys: resolve(options.sysRoot), dev: resolve(options.devRoot), ...given }
  const units = await installedUnits(roots.run)
  const evidence = evidenceOfHardware(roots.sys, units)
  const found = evidence === undefined ? 'twin' : 'kernel'
  const hardware = options.hardware === 'auto' ? found : options.hardware
  const user = options.user === undefined ? ownAccount() : await accountOf(options.user)
  const ofUnits = typed.length > 0 || hardware === 'twin' ? [] : servicesOf(units)
  const services = ofUnits.length > 0 ? ofUnits : [typedService(options, typed, context)]
  const diagnosis = diagnosisOf(await runChecks({ hardware, roots, user, date: context.wallTime(), units, services }, context))
  const device = hardware === 'kernel' ? 'A service on real hardware' : 'A service with a virtual device'
  const reason = evidence ?? `${roots.sys}/class/sdbp does not exist: there is no real hardware here`
  const about = `${device}${options.hardware === 'auto' ? ` (${reason})` : ''}, run by ${user.name}`
  print(options.json ? `${JSON.stringify(diagnosis)}\n` : formatDiagnosis(diagnosis, about, colors))
  if (diagnosis.failures > 0) setExitCode(FAILURE_EXIT_CODE)
}

function typedService(options: Options, typed: readonly string[], context: DoctorContext): PlannedService {
  const { services, port, powerManager: socket } = options
  const powerManager = socket === undefined ? undefined : resolve(socket)
  return {
    name: 'slotwire',
    state: stateFolderOf(options, context),
    isStateTyped: typed.includes('state'),
    services,
    port,
    powerManager,
  }
}

/** Evidence that this device has real hardware, even if it does not work now. Undefined without any. */
function evidenceOfHardware(sys: string, units: Units): string | undefined {
  const path = [`${sys}/class/sdbp`, `${sys}/module/sdbpk`].find((one) => existsSync(one))
  if (path !== undefined) return `${path} exists`
  const unit = typeof units === 'string' ? undefined : units.find((one) => one['ExecStart']?.includes('--hardware kernel'))
  return unit === undefined ? undefined : `${unit.Id} is installed`
}
