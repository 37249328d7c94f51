import { existsSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { formatVersion, messageOf, SLOTWIRE_VERSION, seededRandom, systemRandom, type Timer } from '@slotwire/core'
import { createDeviceService, type DeviceService } from '@slotwire/device'
import { createBench, defaultChassis } from '@slotwire/device/twin'
import { listen } from '@slotwire/edge'
import { DEFAULT_SETTINGS } from '@slotwire/network'
import { BENCH_ROOT, type Chassis, VolatileMemory } from '@slotwire/twin'
import { KernelSide, KernelTree, launcher } from '@slotwire/twin/kernel'
import { Argument, Command, Option } from 'commander'
import { type ClosingStep, inOrder } from '../run/in-order.ts'
import { refusedPort } from '../run/listen.ts'
import { addLogOptions, type LogOptions, pathOf, port } from '../run/option-values.ts'
import type { ServerContext } from '../run/until-stopped.ts'
import type { RunningServer } from '../serve/serve-device.ts'
import { benchExtension, followedClock, ServedTime, TWIN_SEED } from '../serve/twin-device.ts'
import { examples } from '../terminal/command-context.ts'
import { UsageError } from '../terminal/usage-error.ts'

const LOOPBACK = '127.0.0.1'
const SOCAT = 'socat'
/** Programs behind the files, and the Debian packages that have them. */
const PROGRAMS = { [SOCAT]: SOCAT, setpriv: 'util-linux', mkfifo: 'coreutils' }
/** How often the USB devices of the twin are compared with those that are shown, in milliseconds. */
const USB_INTERVAL_MS = 200

/** What the command announces when the files are there. */
export interface AnnouncedFiles {
  readonly version: string
  /** Use these instead of `/sys` and `/dev`. */
  readonly sys: string
  readonly dev: string
  /** URL of the bench. */
  readonly bench: string
}

/** Shows a twin as the files of the kernel driver, and serves its bench. Throws `UsageError`. */
export async function showTwinFiles(options: TwinFilesOptions, { print, clock, log }: ServerContext): Promise<RunningServer> {
  const folder = resolve(options.folder)
  refuseUsedFolder(folder)
  await refuseMissingPrograms()
  const time = new ServedTime(followedClock())
  const random = seededRandom(TWIN_SEED)
  const memory = (): VolatileMemory => new VolatileMemory()
  const chassis = defaultChassis({ clock: time, seed: TWIN_SEED, random, memory, bus: options.bus, log })
  const device: DeviceService = await createDeviceService({
    // The modules are for the user's driver.
    services: [],
    drivesOnlyServed: true,
    extensions: [await benchExtension(createBench(chassis), time, () => device)],
    backplane: chassis,
    clock: time,
    twinTime: time,
    realTime: clock,
    random: systemRandom,
    log,
  })
  const ends: ClosingStep[] = [() => launcher.close(), () => chassis.powerOff(), () => device.close(), () => time.release()]
  const close = (): Promise<void> => inOrder(ends.toReversed())
  try {
    const { address } = await listen(device.service, { host: LOOPBACK, port: options.port }).catch((error: unknown) => {
      throw refusedPort(error, options.port)
    })
    const { tree, end } = await showFiles(folder, chassis, { clock, log })
    ends.push(end)
    await device.start()
    const bench = `http://${LOOPBACK}:${address.port}${BENCH_ROOT}`
    const announced = { version: formatVersion(SLOTWIRE_VERSION), sys: tree.sysRoot, dev: tree.devRoot, bench }
    print(options.json ? `${JSON.stringify(announced)}\n` : formatFiles(announced))
    return {
      close,
      // It has no settings.
      reload: async () => undefined,
      stuck: () => undefined,
      status: () => `virtual device in ${folder}, bench at ${bench}`,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Creates the files, and switches the device on. `end` removes them. */
async function showFiles(root: string, chassis: Chassis, { clock, log }: Pick<ServerContext, 'clock' | 'log'>) {
  const version = `${formatVersion(chassis.kernelDriver)}\n`
  const onFailure = (error: unknown): void =>
    log.error({ reason: messageOf(error) }, 'the files were changed by another program: start this one again')
  const tree = inFolder(root, () => new KernelTree(SOCAT, { root, version, onFailure }))
  const side = new KernelSide(chassis, tree)
  let timer: Timer | undefined
  const showUsb = (): void => {
    try {
      side.showUsb()
    } catch (error) {
      tree.onFailure(error)
    }
    timer = clock.after(USB_INTERVAL_MS, showUsb)
  }
  const end = async (): Promise<void> => {
    timer?.cancel()
    side.close()
    await side.processed
    await tree.close()
  }
  await chassis.powerOn()
  await side.processed
  showUsb()
  return { tree, end }
}

/** Its files could be mistaken for those of the device, and would stay. */
function refuseUsedFolder(folder: string): void {
  const [name] = inFolder(folder, () => (existsSync(folder) ? readdirSync(folder) : []))
  if (name === undefined) return
  throw new UsageError(`${folder} is not empty (it contains ${name}): name a new folder, or an empty one`)
}

/** The result of `work`. Throws `UsageError` if the folder cannot be used. */
function inFolder<Result>(folder: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    const remedy = 'name a new or empty folder that this user can write'
    throw new UsageError(`${folder} cannot be used (${messageOf(error)}): ${remedy}`, { cause: error })
  }
}

async function refuseMissingPrograms(): Promise<void> {
  const names = Object.keys(PROGRAMS)
  const checked = names.map((name) => `command -v ${name} >/dev/null || echo ${name} is missing >&2`).join('; ')
  const [, missing] = await launcher.run(`${checked}; echo checked >&2`, /^(\S+) is missing$|^checked$/)
  if (missing === undefined) return
  const [, debianPackage] = Object.entries(PROGRAMS).find(([name]) => name === missing) ?? []
  await launcher.close()
  throw new UsageError(`twin-files needs the program ${missing}: install it (Debian: apt-get install ${debianPackage})`)
}

function formatFiles({ version, sys, dev, bench }: AnnouncedFiles): string {
  const lines = [`Slotwire ${version} shows a virtual device`, `  /sys   ${sys}`, `  /dev   ${dev}`, `  bench  ${bench}`]
  return `${lines.join('\n')}\n`
}

/** The options of `slotwire twin-files`, checked. */
export interface TwinFilesOptions extends LogOptions {
  readonly folder: string
  readonly port: number
  readonly bus: 'instant' | 'timed'
  readonly json: boolean
}

/** The `twin-files` command with its options. */
export function twinFilesCommand(run: (options: TwinFilesOptions) => Promise<void>): Command {
  const bus = new Option('--bus <mode>', 'Set bus timing')
  const command = new Command('twin-files')
    .description("Show a virtual device as the kernel driver's files")
    .addArgument(new Argument('<folder>', 'New or empty folder for sys and dev').argParser(pathOf('folder')))
    .option('--port <number>', 'Serve the bench at this loopback port', port, DEFAULT_SETTINGS.loopbackPort)
    .addOption(bus.choices(['instant', 'timed']).default('instant'))
    .option('--json', 'Print the paths and the URL as one line of JSON', false)
  return addLogOptions(command, 'warn')
    .addHelpText('after', examples('twin-files device', 'twin-files /tmp/device --port 0 --bus timed --json'))
    .action((folder: string, options: Omit<TwinFilesOptions, 'folder'>) => run({ ...options, folder }))
}
