import { resolve } from 'node:path'
import { POWER_MANAGER_SOCKET } from '@slotwire/driver/power-manager'
import { Command, InvalidArgumentError, Option } from 'commander'
import { overridesOf } from '../run/network-options.ts'
import { HIGHEST_PORT } from '../run/option-values.ts'
import type { ServeOptions } from '../serve/serve-options.ts'
import { stateFolderOf, stateOption } from '../state/state-option.ts'
import { type Colors, colors as ownColors } from '../terminal/colors.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { runChecks } from './check-process.ts'
import { checks } from './checks.ts'
import { diagnosisOf, formatDiagnosis } from './diagnosis.ts'
import { accountOf, ownAccount } from './host/account.ts'
import { type HardwareSign, signOfHardware } from './host/signs-of-hardware.ts'
import { slotsFolder } from './host/slots.ts'
import type { Installation } from './installation.ts'
import { type ServingUnit, unitsThatServe } from './units/units-that-serve.ts'

const FAILURE_EXIT_CODE = 1

/** What `doctor` has of its surroundings. */
export interface DoctorContext
  extends Pick<CommandContext, 'print' | 'environment' | 'platform' | 'home' | 'clock' | 'wallTime'> {
  readonly setExitCode: (code: number) => void
  readonly nodeVersion: string
  readonly colors?: Colors
  /** Where the process of the checks begins; undefined: beside this file. */
  readonly program?: URL
}

/** What says how the service is started. */
const SERVED = ['state', 'services', 'port', 'powerManager'] as const
type ServedOptions = Pick<ServeOptions, (typeof SERVED)[number] | 'listen' | 'httpsPort' | 'httpPort'>

interface Options {
  readonly hardware: 'kernel' | 'twin' | 'auto'
  readonly sysRoot: string
  readonly devRoot: string
  readonly procRoot: string
  readonly runRoot: string
  readonly root: string
  readonly state?: string
  readonly services: readonly string[]
  readonly port?: number
  readonly powerManager?: string
  readonly user?: string
  readonly json: boolean
}

/** `slotwire doctor`: exit code 0 when nothing failed, 1 when something did. */
export function doctorCommand(known: readonly string[], context: DoctorContext): Command {
  const hardware = new Option(
    '--hardware <kind>',
    'what is to be served: auto is kernel where anything of real hardware is installed',
  )
  return new Command('doctor')
    .description('check what a service needs on this machine, and say what to do about what is missing; nothing is changed')
    .addOption(hardware.choices(['kernel', 'twin', 'auto']).default('auto'))
    .option('--sys-root <folder>', 'where the kernel shows its modules', '/sys')
    .option('--dev-root <folder>', 'where the files of the slots are', '/dev')
    .option('--proc-root <folder>', 'where the kernel shows its processes', '/proc')
    .option('--run-root <folder>', 'where daemons leave their signs', '/run')
    .option('--root <folder>', 'where units and kernel modules are installed, for --hardware auto', '/')
    .addOption(stateOption())
    .option('--services <names>', `which of ${known.join(', ')} are to run, separated by commas`, parseServices(known), known)
    .option('--port <number>', 'TCP port for this machine (default: as the settings say)', parsePort)
    .option('--power-manager <socket>', `socket that must be there (default: ${POWER_MANAGER_SOCKET}, if it is)`)
    .option('--user <name>', 'who is to run the service (default: you)')
    .option('--json', 'print one line of JSON for programs instead of text', false)
    .allowExcessArguments(false)
    .action((options: Options, command: Command) => {
      const isTyped = SERVED.some((option) => command.getOptionValueSource(option) === 'cli')
      return run(options, isTyped, known, context)
    })
}

async function run(options: Options, isTyped: boolean, known: readonly string[], context: DoctorContext): Promise<void> {
  const { machine, services, sign } = await survey(options, isTyped, known, context)
  const { clock, print, setExitCode, program, colors = ownColors } = context
  const tasks = checks
    .filter(({ isForHardware }) => machine.hardware === 'kernel' || !isForHardware)
    .flatMap((check) => (check.isPerService ? services : [machine]).map((installation) => ({ check, installation })))
  const results = await runChecks(tasks, { clock, ...(program === undefined ? {} : { program }) })
  const diagnosis = diagnosisOf(results, machine)
  print(options.json ? `${JSON.stringify(diagnosis)}\n` : formatDiagnosis(diagnosis, aboutOf(machine, options, sign), colors))
  if (diagnosis.failures > 0) setExitCode(FAILURE_EXIT_CODE)
}

/** What is looked at. */
interface Surveyed {
  /** All services together. */
  readonly machine: Installation
  /** Each service: several where units serve one module type each. */
  readonly services: readonly Installation[]
  /** What spoke for real hardware where nobody said what there is. */
  readonly sign: HardwareSign | undefined
}

async function survey(options: Options, isTyped: boolean, known: readonly string[], context: DoctorContext): Promise<Surveyed> {
  const root = resolve(options.root)
  const roots = {
    sys: resolve(options.sysRoot),
    dev: resolve(options.devRoot),
    proc: resolve(options.procRoot),
    run: resolve(options.runRoot),
  }
  const sign = options.hardware === 'auto' ? await signOfHardware({ roots }, root) : undefined
  const found = sign === undefined ? 'twin' : 'kernel'
  const common = {
    hardware: options.hardware === 'auto' ? found : options.hardware,
    roots,
    user: options.user === undefined ? ownAccount() : await accountOf(options.user),
    nodeVersion: context.nodeVersion,
    date: context.wallTime(),
  } as const
  const installationOf = (served: ServedOptions, unit?: ServingUnit): Installation => ({
    ...common,
    state: stateFolderOf(served, context),
    services: served.services,
    overrides: overridesOf(served),
    powerManager: {
      socket: resolve(served.powerManager ?? POWER_MANAGER_SOCKET),
      isNamed: served.powerManager !== undefined,
    },
    unit,
  })
  // Whoever types how the service is started starts it without a unit.
  const units = isTyped || common.hardware === 'twin' ? [] : await unitsThatServe({ root, run: roots.run }, known)
  const services = units.map(({ unit, options: served }) => installationOf(served, unit))
  const [first = installationOf(options), ...more] = services
  const all = new Set([first, ...more].flatMap((installation) => installation.services))
  return { machine: { ...first, services: [...all] }, services: [first, ...more], sign }
}

/** The first line: what is looked at, and why. */
function aboutOf(installation: Installation, options: Options, sign: HardwareSign | undefined): string {
  const { hardware, user } = installation
  const who = `run by ${user.name}`
  if (hardware === 'kernel') {
    return sign?.because === undefined
      ? `A service on real hardware, ${who}`
      : `A service on real hardware (${sign.because}; --hardware twin is for a virtual device), ${who}`
  }
  if (options.hardware === 'twin') return `A service with a virtual device, ${who}`
  const missing = slotsFolder(installation)
  return `There is no real hardware here (${missing} does not exist, and nothing for it is installed): a service with a virtual device, ${who}`
}

function parsePort(text: string): number {
  if (!/^\d+$/.test(text) || Number(text) > HIGHEST_PORT)
    throw new InvalidArgumentError(`a whole number from 0 to ${HIGHEST_PORT}.`)
  return Number(text)
}

function parseServices(known: readonly string[]): (text: string) => readonly string[] {
  return (text) => {
    const names = text.split(',').map((name) => name.trim())
    if (names.some((name) => !known.includes(name))) {
      throw new InvalidArgumentError(`one or more of ${known.join(', ')}, separated by commas.`)
    }
    return [...new Set(names)]
  }
}
