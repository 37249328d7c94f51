import { networkInterfaces } from 'node:os'
import { certificateStoreIn, MAX_PORT, readSettingsFile, SETTINGS_FILE, type Settings, SettingsError } from '@slotwire/network'
import { caddyConfig, nginxConfig, type ProxyPlan } from '@slotwire/network/proxy-config'
import { Argument, Command, InvalidArgumentError } from 'commander'
import { collectAddress } from '../run/option-values.ts'
import { processUsing } from '../state/state-access.ts'
import { stateFolderOf, stateOption } from '../state/state-folder.ts'
import { type CommandContext, examples } from '../terminal/command-context.ts'
import { UsageError, withUsageErrors } from '../terminal/usage-error.ts'
import { wholeNumber } from '../terminal/word.ts'

/** Address of proxies on this machine, as the service sees it. */
const PROXY_ADDRESS = '127.0.0.1'

/** Wait for a certificate that is being made: in total, and between two looks. */
const CERTIFICATE_WAIT_MS = 5_000
const CERTIFICATE_LOOK_MS = 100

/** Each proxy: the function that writes its configuration, and its default access log. */
const PROXIES = {
  nginx: { write: nginxConfig, accessLog: '/var/log/nginx/slotwire.log' },
  caddy: { write: caddyConfig, accessLog: undefined },
} as const
type ProxyName = keyof typeof PROXIES

const OFF = 'off'

/** The options of `slotwire proxy-config`, checked. Undefined: as configured, or the default. */
interface ProxyConfigOptions {
  readonly state?: string
  /** Port of the service's loopback door. */
  readonly port?: number
  /** Addresses at which the proxy listens. */
  readonly listen?: readonly string[]
  readonly httpsPort?: number
  readonly httpPort?: number | typeof OFF
  /** A file, or `off`. */
  readonly accessLog?: string
}

export interface ProxyConfigContext extends CommandContext {
  /** The interfaces of this machine. */
  readonly interfaces?: () => ReturnType<typeof networkInterfaces>
}

/** `slotwire proxy-config nginx|caddy`. Works whether the service runs or not. */
export function proxyConfigCommand(context: ProxyConfigContext): Command {
  const port = wholeNumber('port', 1, MAX_PORT)
  const portOrOff = (text: string) => (text === OFF ? OFF : port(text))
  return new Command('proxy-config')
    .description('Print a configuration for nginx or Caddy')
    .addArgument(new Argument('<proxy>', 'the proxy').choices(Object.keys(PROXIES)))
    .addOption(stateOption())
    .option('--listen <address>', 'Listen here; repeatable (default: everywhere)', collectAddress)
    .option('--https-port <number>', 'Set its HTTPS port (default: as configured)', port)
    .option('--http-port <number>', 'Set its HTTP port, or off (default: as configured)', portOrOff)
    .option('--port <number>', 'Find the service here (default: as configured)', port)
    .option('--access-log <file>', 'Log requests to this file, or off', parseFile)
    .addHelpText('after', examples('proxy-config nginx > slotwire.conf', 'proxy-config caddy --http-port off'))
    .action((name: ProxyName, options: ProxyConfigOptions) =>
      withUsageErrors(async () => context.print(await configurationOf(name, options, context))),
    )
}

function parseFile(text: string): string {
  if (text === OFF || text.startsWith('/')) return text
  throw new InvalidArgumentError('write an absolute path, like /var/log/nginx/slotwire.log, or off.')
}

async function configurationOf(name: ProxyName, options: ProxyConfigOptions, context: ProxyConfigContext): Promise<string> {
  const state = stateFolderOf(options, context)
  const { settings, problems } = readSettingsFile(state, SETTINGS_FILE)
  if (problems.length > 0) throw new SettingsError(problems)
  const certificateFile = await certificateOf(state, settings, context)
  const plan = planOf(name, certificateFile, options, settings, context)
  const configuration = PROXIES[name].write(plan)
  for (const hint of hintsOf(settings, plan)) context.hint(`slotwire: ${hint}\n`)
  return configuration
}

/** Waits for the certificate: a running service makes it after a proxy was added to its settings. */
async function certificateOf(state: string, { proxies }: Settings, { clock }: CommandContext): Promise<string> {
  const expected = proxies.includes(PROXY_ADDRESS) && processUsing(state) !== undefined
  const store = certificateStoreIn(state)
  for (let waitedMs = 0; ; waitedMs += CERTIFICATE_LOOK_MS) {
    const file = store.presentedFile
    if (file !== undefined) return file
    if (!expected || waitedMs >= CERTIFICATE_WAIT_MS) break
    await clock.sleep(CERTIFICATE_LOOK_MS)
  }
  throw new UsageError(
    `there is no certificate in ${state} yet: run slotwire config set proxies ${PROXY_ADDRESS}, start the service, and try again`,
  )
}

function planOf(
  name: ProxyName,
  certificateFile: string,
  options: ProxyConfigOptions,
  settings: Settings,
  { interfaces = networkInterfaces }: ProxyConfigContext,
): ProxyPlan {
  const hasIpv6 = Object.values(interfaces())
    .flat()
    .some((address) => address?.family === 'IPv6')
  const { httpPort = settings.httpPort, accessLog = PROXIES[name].accessLog } = options
  return {
    listen: options.listen ?? (hasIpv6 ? ['0.0.0.0', '::'] : ['0.0.0.0']),
    httpsPort: options.httpsPort ?? fixedPort(settings.httpsPort, 'doors.https-port', '--https-port'),
    httpPort: typeof httpPort === 'number' ? fixedPort(httpPort, 'doors.http-port', '--http-port') : undefined,
    certificateFile,
    loopbackPort: options.port ?? fixedPort(settings.loopbackPort, 'doors.port', '--port'),
    paths: { machineId: settings.machineIdPath, tlsCa: settings.tlsCaPath },
    accessLog: accessLog === OFF ? undefined : accessLog,
  }
}

/** Port 0 means another port at each start, which a proxy's configuration cannot name. */
function fixedPort(port: number, key: string, option: string): number {
  if (port === 0)
    throw new UsageError(`${key} is 0, so the service picks another port at each start: set one, or give it with ${option}`)
  return port
}

/** Warnings: what still keeps the proxy from working. */
function hintsOf({ proxies, listen, httpsPort, httpPort }: Settings, plan: ProxyPlan): readonly string[] {
  const own = [httpsPort, ...(httpPort === undefined ? [] : [httpPort])]
  const shared = own.filter((port) => port === plan.httpsPort || port === plan.httpPort)
  return [
    ...(proxies.includes(PROXY_ADDRESS)
      ? []
      : [`the service does not trust the proxy yet: slotwire config set proxies ${[...proxies, PROXY_ADDRESS].join(' ')}`]),
    ...(listen.length === 0 || shared.length === 0
      ? []
      : [`the service itself uses port ${shared.join(' and ')}: slotwire config set doors.listen off, or choose another port`]),
  ]
}
