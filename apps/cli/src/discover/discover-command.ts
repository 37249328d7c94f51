import { X509Certificate } from 'node:crypto'
import { hostname, networkInterfaces } from 'node:os'
import { systemRandom } from '@slotwire/core'
import { type DiscoverOptions, type FoundDevice, type FoundDoor, discover as search } from '@slotwire/network/discover'
import { Command, InvalidArgumentError, Option } from 'commander'
import { type CommandContext, examples } from '../terminal/command-context.ts'
import { textOf } from '../terminal/files.ts'
import { type Colors as AllColors, formatTable, colors as ownColors } from '../terminal/text.ts'
import { UsageError } from '../terminal/usage-error.ts'

const DEFAULT_TIMEOUT_S = 3
const MAX_TIMEOUT_S = 60
const MS_PER_S = 1000
const NONE_FOUND_EXIT_CODE = 1

interface DiscoverContext extends CommandContext {
  /** In place of the search in the networks of this machine. */
  readonly discover?: (options: DiscoverOptions) => Promise<readonly FoundDevice[]>
}

interface Options {
  readonly timeout: number
  readonly token?: string
  readonly tokenFile?: string
  readonly ca?: string
  readonly insecure: boolean
  readonly json: boolean
}

/** `slotwire discover`. Exit code 0 if it found a device, otherwise 1. */
export function discoverCommand(context: DiscoverContext): Command {
  return new Command('discover')
    .description('Find devices in the network and test their services')
    .option('--timeout <seconds>', 'Listen for this long', parseTimeout, DEFAULT_TIMEOUT_S)
    .option('--token <token>', 'Send this token (visible in the list of processes)')
    .addOption(new Option('--token-file <file>', 'Send the token in this file').conflicts('token'))
    .option('--ca <file>', 'Also trust the authorities in this file (PEM)')
    .option('--insecure', 'Send the token to any device, even unencrypted', false)
    .option('--json', 'Print one line of JSON instead of text', false)
    .addHelpText('after', examples('discover', 'discover --token-file token.txt --ca authority.pem'))
    .action((options: Options) => run(options, context))
}

async function run({ timeout, token, tokenFile, ca, insecure, json }: Options, context: DiscoverContext): Promise<void> {
  const { clock, print, hint, setExitCode, discover = search } = context
  const discovery = discover({
    network: { interfaces: networkInterfaces, hostName: hostname },
    clock,
    random: systemRandom,
    timeoutMs: timeout * MS_PER_S,
    insecure,
    token: tokenFile === undefined ? token : readToken(tokenFile),
    authorities: ca === undefined ? undefined : readAuthorities(ca),
  })
  const devices = await discovery.catch((error: unknown) => {
    if (!(error instanceof Error) || error.name !== 'MulticastUnavailable') throw error
    throw new UsageError(`cannot search any network: ${error.message}`, { cause: error })
  })
  // Programs get every key, null for unknown values.
  if (json) print(`${JSON.stringify({ devices }, (_key, value: unknown) => value ?? null)}\n`)
  else if (devices.length > 0) print(formatDevices(devices))
  else hint('No device found. Is its network door open (slotwire serve --listen)? Is it in the same network as this machine?\n')
  if (devices.length === 0) setExitCode(NONE_FOUND_EXIT_CODE)
}

function parseTimeout(text: string): number {
  const seconds = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || seconds <= 0 || seconds > MAX_TIMEOUT_S) {
    throw new InvalidArgumentError(`write a number of seconds, more than 0, at most ${MAX_TIMEOUT_S}.`)
  }
  return seconds
}

function readToken(file: string): string {
  const token = textOf(file, 'token')
  if (!/^[\x21-\x7e]+$/.test(token)) throw new UsageError(`${file} does not contain a token: expected one line of text`)
  return token
}

function readAuthorities(file: string): string {
  const text = textOf(file, 'authority')
  try {
    new X509Certificate(text)
    return text
  } catch (error) {
    throw new UsageError(`${file} does not contain a certificate: expected PEM, -----BEGIN CERTIFICATE-----`, { cause: error })
  }
}

const STATES: Readonly<Record<FoundDoor['state'], string>> = {
  works: 'works',
  'needs-token': 'needs a token',
  'token-refused': 'token refused',
  untrusted: 'certificate not trusted yet',
  unreachable: 'unreachable',
  failed: 'failed',
}

/** A copied card, most likely: one of them displaces the other on a broker. */
const COPIES = 'several host names have it: if they are copies, give each its own (docs/guide/device.md)'

type Colors = Pick<AllColors, 'bold' | 'green' | 'yellow' | 'red'>

/** Devices as text: name and identity of each, then a line for each service at each door. */
export function formatDevices(devices: readonly FoundDevice[], colors: Colors = ownColors): string {
  return devices.map((device) => formatDevice(device, colors)).join('\n')
}

function formatDevice(device: FoundDevice, colors: Colors): string {
  const { hostNames, vendor, machineId, addresses, caFingerprint, services } = device
  const lines: readonly (readonly [string, string | undefined])[] = [
    ['vendor', vendor],
    ['machine id', machineId ?? 'unknown: no door reported it'],
    ['', hostNames.length > 1 && machineId !== undefined ? COPIES : undefined],
    ['addresses', addresses.join(', ') || 'none announced'],
    ['authority', caFingerprint === undefined ? undefined : `SHA-256 ${caFingerprint}`],
  ]
  const about = lines.flatMap(([label, text]) => (text === undefined ? [] : [`  ${label.padEnd(11)} ${text}\n`]))
  const rows = services.flatMap(({ name, doors }) =>
    doors.map(({ url, versions, state, reason }) => ({
      service: name,
      url,
      api: versions?.api,
      version: versions?.service,
      state: reason === undefined ? STATES[state] : `${STATES[state]}: ${reason}`,
    })),
  )
  const table = formatTable(rows, (text, column, { state }) =>
    column !== 'state'
      ? text
      : colors[state === 'works' ? 'green' : /^(unreachable|failed)/.test(state) ? 'red' : 'yellow'](text),
  )
  return `${colors.bold(hostNames.join(', '))}\n${about.join('')}${table}${advice(device)}`
}

/** What to do about a device that is not trusted yet. */
function advice({ caFingerprint, services }: FoundDevice): string {
  const isUntrusted = services.some(({ doors }) => doors.some(({ state }) => state === 'untrusted'))
  if (!isUntrusted || caFingerprint === undefined) return ''
  return `  To trust it: run slotwire cert show on the device, compare the fingerprints, then use --ca <file>.\n`
}
