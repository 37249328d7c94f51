import { inWordsOf, type Remedies } from '@slotwire/client'
import { messageOf, visible } from '@slotwire/core'
import { Command, Option } from 'commander'
import { ClientError, connect, type Device, type ErrorKind } from '../client.ts'
import { pathOf } from '../run/option-values.ts'
import { type CommandContext, examples } from '../terminal/command-context.ts'
import { textOf } from '../terminal/files.ts'
import { USAGE_EXIT_CODE, UsageError, withUsageErrors } from '../terminal/usage-error.ts'
import { Contexts, type SavedContext } from './contexts.ts'
import { duration } from './values.ts'

/** Options of every command for a device. */
export interface DeviceCommandOptions {
  readonly url?: string
  readonly context?: string
  readonly tokenFile?: string
  readonly ca?: string
  readonly lease?: string
  readonly deadline?: number
  readonly format: 'table' | 'json' | 'csv'
}

/** Of a command that prints in its own way. */
export type ReachOptions = Omit<DeviceCommandOptions, 'format'>

type DeviceContext = Omit<CommandContext, 'terminal'>

export const DEFAULT_URL = 'http://127.0.0.1:8080'
const STOPPED_EXIT_CODE = 130

/** Exit codes by the kind of error; docs/guide/command-line.md. */
export const exitCodes: Readonly<Record<ErrorKind, number>> = {
  invalid: USAGE_EXIT_CODE,
  unreachable: 3,
  restarting: 3,
  credentials: 4,
  version: 1,
  'not-found': 1,
  refused: 1,
  leased: 1,
  'session-changed': 1,
  module: 1,
}

/** A command for a device, with the options that all of them have. */
export function deviceCommand(name: string, description: string, ...lines: readonly string[]): Command {
  return withReach(new Command(name).description(description), `Device (default: ${DEFAULT_URL})`)
    .option('--json', 'Print as JSON')
    .addOption(new Option('--csv', 'Print as CSV').conflicts('json'))
    .hook('preAction', (command) => {
      const { json, csv } = command.opts()
      command.setOptionValue('format', json === true ? 'json' : csv === true ? 'csv' : 'table')
    })
    .addHelpText('after', examples(...lines))
}

/** Adds the options that say which device, and how it is reached. */
export function withReach(command: Command, url: string): Command {
  return command
    .option('--url <url>', url)
    .addOption(new Option('--context <name>', 'Use a saved context').conflicts('url'))
    .option('--token-file <file>', 'Send the token in this file', pathOf('file'))
    .option('--ca <file>', 'Trust only the authority in this file (PEM)', pathOf('file'))
    .option('--lease <file>', 'Send the secret of a lease in this file', pathOf('file'))
    .option('--deadline <time>', 'Give up after (default: 10s)', duration('deadline'))
}

/** The end of a command by a signal. */
class Stopped extends Error {}

/**
 * Connects, runs `work`, and closes. Prints errors of the device as one line, with an exit code by their kind. A stop signal ends it with 130.
 */
export function withDevice(
  options: ReachOptions,
  context: DeviceContext,
  work: (device: Device, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const run = async (): Promise<void> => {
    const end = new AbortController()
    void context.stopped().then(() => end.abort(new Stopped('it was stopped')))
    let device: Device | undefined
    try {
      device = await open(options, context, end.signal)
      await work(device, end.signal)
    } catch (error) {
      if (!(error instanceof Stopped)) throw error
      context.setExitCode(STOPPED_EXIT_CODE)
    } finally {
      await device?.close()
    }
  }
  return withUsageErrors(() => withClientErrors(context, run))
}

/** What the work of a command for a device gets. */
export interface DeviceCall<Options = DeviceCommandOptions> {
  readonly device: Device
  readonly signal: AbortSignal
  readonly options: Options
}

/** Gives a command its work on the device, which also gets the arguments. */
export function onDevice<Options extends DeviceCommandOptions, Arguments extends readonly unknown[]>(
  command: Command,
  context: DeviceContext,
  work: (call: DeviceCall<Options>, ...words: Arguments) => Promise<void>,
): Command {
  return command.action((...typed: readonly unknown[]) => {
    const options = typed.at(-2) as Options
    const words = typed.slice(0, -2) as readonly unknown[] as Arguments
    return withDevice(options, context, (device, signal) => work({ device, signal, options }, ...words))
  })
}

/** Prints an error of the device as one line, and sets the exit code by its kind. */
export async function withClientErrors(
  { hint, setExitCode }: Pick<CommandContext, 'hint' | 'setExitCode'>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    hint(`slotwire: ${visible(inWordsOf(remedies, error))}\n`)
    setExitCode(exitCodes[error.kind])
  }
}

/** Address, token and authority of a device: of the options, of a saved context, or the default. */
export function reachOf(
  options: Pick<DeviceCommandOptions, 'url' | 'context' | 'tokenFile' | 'ca'>,
  context: Pick<CommandContext, 'environment' | 'home'>,
): SavedContext {
  const name = options.context ?? (options.url === undefined ? new Contexts(context).read().current : undefined)
  const saved = name === undefined ? { url: options.url ?? DEFAULT_URL } : new Contexts(context).find(name)
  return {
    url: saved.url,
    token: options.tokenFile === undefined ? saved.token : textOf(options.tokenFile, 'token'),
    ca: options.ca === undefined ? saved.ca : textOf(options.ca, 'authority'),
  }
}

/** Waits for a device that answers or has answered. Where none ever did, there is nothing to wait for. */
async function open(options: ReachOptions, context: DeviceContext, signal: AbortSignal): Promise<Device> {
  const { url, token, ca } = reachOf(options, context)
  let isConnected = false
  const said = new Set<string>()
  const sayAgain = (error: unknown): void => {
    const text = error instanceof ClientError ? inWordsOf(remedies, error) : `the event stream is broken: ${messageOf(error)}`
    if (!said.has(text)) context.hint(`slotwire: ${visible(text)}; trying again\n`)
    said.add(text)
  }
  const device = await connect(url, {
    onRetry(error) {
      if (!isConnected && error.status === undefined) throw error
      sayAgain(error)
    },
    token,
    ca,
    leaseSecret: options.lease === undefined ? undefined : textOf(options.lease, 'secret'),
    deadlineMs: options.deadline,
    clock: context.clock,
    signal,
  })
  isConnected = true
  device.context.live.changes.add(({ isConnected: isBack, error }) => {
    if (!isBack) sayAgain(error)
  })
  return device
}

/** Asks before something that can end the work of others. Throws `UsageError` without a yes. */
export async function confirm(question: string, isSure: boolean, { ask }: Pick<CommandContext, 'ask'>): Promise<void> {
  if (isSure) return
  if (ask === undefined) throw new UsageError(`${question} Repeat the command with --yes if you want that.`)
  if (!(await ask(`${question} Continue? [y/N] `))) throw new UsageError('not confirmed: nothing was done')
}

const UNTRUSTED = 'trust its authority with --ca <file>, or save it with slotwire context add <name> <url> --trust'

/** What a user of the command line does about an error, by its name in docs/errors.md or of the system. */
export const remedies: Remedies = {
  ECONNREFUSED: 'start one with slotwire serve --hardware twin, or give its address with --url (default: http://127.0.0.1:8080)',
  ENOTFOUND: 'check the name in --url or in the context; slotwire discover lists the devices of the network',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  'credentials-required': 'give the file of a token with --token-file; slotwire token create makes one',
  'slot-not-usable': 'slotwire devices lists the usable ones',
  'session-changed': 'set up the module again',
  leased: 'give the secret of the lease with --lease <file>, or wait',
  'lease-expired': 'check the modules, and get a new lease with slotwire lease take',
  'lease-secret-missing': 'give it with --lease <file>',
  'lease-slot-empty': 'slotwire devices lists the modules; if each service has a process, give the address of that one',
  'pin-not-analog': 'use slotwire mode <pin> analog first',
  'pin-not-digital': 'use slotwire mode <pin> digital first',
  'power-configuration-missing': 'repeat the command with --power, as in --power 5V/50mA',
  'power-module-not-usable': 'try again when slotwire devices lists it',
  'watchdog-off': 'start it with slotwire bmc set-watchdog --timeout <time>',
  'usb-port-not-available': 'slotwire bmc usb-hub shows which ports are',
  'usb-hub-not-available': 'slotwire bmc usb-hub shows its state',
  'emergency-mode': 'slotwire bmc watchdog shows when it is over',
  'limits-refused': 'slotwire power stats shows the limits in force',
  'fan-refused': 'slotwire power fan shows the one in force',
  'fan-measurement-refused': 'slotwire power fan-rpm shows its state',
}
