import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

// Virtual hosts on one machine: each is a network namespace with its own host name, /run and /etc/avahi; bridges join them.
//   const network = await TestNetwork.make([{ hostName: 'press-4' }, { hostName: 'laptop' }])
//   await network.host(0).run('curl', ['http://10.77.1.2/'])
//   await network.close()
// Needs root: `describeWith(['namespaces', 'ip', …], …)`. Leaves nothing behind, even if the test process is killed.

/** Time limit to create a host or to end a program with a signal. */
const DEADLINE_MS = 20_000
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024

/** A host to create. */
export interface HostPlan {
  readonly hostName: string
  /** Numbers of its networks; network n is its interface `ethn`. Default: network 1. */
  readonly networks?: readonly number[]
}

/** Result of a program. */
export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Ends the program together with the process that started it. */
const BOUND = ['setpriv', '--pdeathsig', 'KILL', '--'] as const

/** IPv4 and IPv6 address of a host (number from 1) in a network. */
export function addressesOf(host: number, network: number): { readonly ipv4: string; readonly ipv6: string } {
  return { ipv4: `10.77.${network}.${host}`, ipv6: `fd77:${network}::${host}` }
}

/** A set of namespaces, held by a process until its standard input closes. */
class Namespaces {
  private constructor(private readonly holder: ChildProcess) {}

  /** `prepare`: a shell script that runs inside first. */
  static async make(prepare: string): Promise<Namespaces> {
    const script = `set -e\n${prepare}\necho ready\nexec cat >/dev/null`
    const isolated = ['unshare', '--net', '--mount', '--uts', '--propagation', 'private', 'sh', '-c', script]
    const holder = spawn(BOUND[0], [...BOUND.slice(1), ...isolated], { stdio: ['pipe', 'pipe', 'inherit'] })
    const ended = once(holder, 'exit').then(() => {
      throw new Error('namespaces could not be made; are you root?')
    })
    await Promise.race([once(holder.stdout, 'data'), ended])
    ended.catch(() => undefined)
    return new Namespaces(holder)
  }

  get pid(): number {
    return this.holder.pid ?? 0
  }

  /** The command line that runs a command inside. */
  wrap(command: string, args: readonly string[], folder = process.cwd()): readonly [string, readonly string[]] {
    const inside = ['-t', `${this.pid}`, '--net', '--mount', '--uts', `--wd=${folder}`, '--', ...BOUND]
    return ['nsenter', [...inside, command, ...args]]
  }

  async close(): Promise<void> {
    await end(this.holder, 'SIGKILL')
  }
}

type Wrapper = Pick<Namespaces, 'wrap'>

/** Options of any process; `cwd` is a folder of this machine. */
type InFolder = Omit<SpawnOptions, 'cwd'> & { readonly cwd?: string }

/** One host of a `TestNetwork`. */
export class TestHost {
  readonly hostName: string
  readonly networks: readonly number[]
  readonly #running = new Set<ChildProcess>()

  constructor(
    private readonly namespaces: Namespaces,
    /** From 1. */
    readonly number: number,
    { hostName, networks = [1] }: HostPlan,
  ) {
    this.hostName = hostName
    this.networks = networks
  }

  /** Address in its first network. */
  get ipv4(): string {
    return addressesOf(this.number, this.networks[0] ?? 1).ipv4
  }

  get ipv6(): string {
    return addressesOf(this.number, this.networks[0] ?? 1).ipv6
  }

  /** Path of a host's file for the test itself. */
  path(file: string): string {
    return `/proc/${this.namespaces.pid}/root${file}`
  }

  /** The command line that runs a command on this host, for callers that start it themselves. */
  wrap(command: string, args: readonly string[], folder?: string): readonly [string, readonly string[]] {
    return this.namespaces.wrap(command, args, folder)
  }

  /** Starts a program that runs until it is ended or the network is closed. */
  start(command: string, args: readonly string[], { cwd, ...options }: InFolder = {}): ChildProcess {
    const child = spawn(...this.wrap(command, args, cwd), { stdio: ['pipe', 'pipe', 'pipe'], ...options })
    this.#running.add(child)
    child.on('exit', () => this.#running.delete(child))
    return child
  }

  /** Runs a program to its end, at most 20 s. */
  run(command: string, args: readonly string[], environment: NodeJS.ProcessEnv = process.env): Promise<Outcome> {
    const [file, all] = this.wrap(command, args)
    const options = { timeout: DEADLINE_MS, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT_BYTES, env: environment } as const
    return new Promise((resolve) => {
      const child = execFile(file, all, options, (_error, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }))
    })
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running].map((child) => end(child, 'SIGKILL')))
    await this.namespaces.close()
  }
}

/** Hosts and the networks between them. */
export class TestNetwork {
  readonly #switch: Namespaces

  private constructor(
    readonly hosts: readonly TestHost[],
    bridges: Namespaces,
  ) {
    this.#switch = bridges
  }

  static async make(plans: readonly HostPlan[]): Promise<TestNetwork> {
    const networks = [...new Set(plans.flatMap(({ networks: own = [1] }) => own))]
    const bridges = await Namespaces.make('ip link set lo up')
    const made: TestHost[] = []
    const network = new TestNetwork(made, bridges)
    try {
      await network.#ip(bridges, networks.flatMap(bridgeCommands))
      for (const [index, plan] of plans.entries()) {
        const namespaces = await Namespaces.make(hostScript(plan.hostName))
        const host = new TestHost(namespaces, index + 1, plan)
        made.push(host)
        for (const number of host.networks) await network.#connect(host, namespaces, number)
      }
      return network
    } catch (error) {
      await network.close()
      throw error
    }
  }

  /** The host at a position of the plan, from 0. */
  host(index: number): TestHost {
    const host = this.hosts[index]
    if (host === undefined) throw new RangeError(`no host ${index}`)
    return host
  }

  /** Connects or disconnects a host's cable at the switch; the host's interface stays up. */
  async plug(host: TestHost, network: number, plugged: boolean): Promise<void> {
    const name = port(host.number, network)
    await this.#ip(this.#switch, [plugged ? `link set ${name} master br${network}` : `link set ${name} nomaster`])
  }

  /** Deletes an interface of a host, and makes it again with the same name and addresses. */
  async remake(host: TestHost, network: number): Promise<void> {
    await this.#ip(host, [`link del eth${network}`])
    await this.#connect(host, host, network)
  }

  async #connect({ number }: TestHost, namespaces: Wrapper, network: number): Promise<void> {
    await this.#ip(namespaces, hostCommands(number, network, this.#switch.pid))
    await this.#ip(this.#switch, [`link set ${port(number, network)} master br${network} up`])
  }

  /** Ends every program on the hosts and removes the hosts. */
  async close(): Promise<void> {
    await Promise.all(this.hosts.map((host) => host.close()))
    await this.#switch.close()
  }

  async #ip(namespaces: Wrapper, commands: readonly string[]): Promise<void> {
    const [file, args] = namespaces.wrap('ip', ['-batch', '-'])
    const child = spawn(file, args, { stdio: ['pipe', 'inherit', 'inherit'] })
    child.stdin.end(`${commands.join('\n')}\n`)
    const [code] = (await once(child, 'exit')) as [number | null]
    if (code !== 0) throw new Error(`ip ended with ${code}: ${commands.join('; ')}`)
  }
}

/** The switch's end of a host's cable. */
function port(host: number, network: number): string {
  return `h${host}n${network}`
}

function bridgeCommands(network: number): readonly string[] {
  return [`link add br${network} type bridge mcast_snooping 0 forward_delay 0`, `link set br${network} up`]
}

function hostCommands(host: number, network: number, switchPid: number): readonly string[] {
  const { ipv4, ipv6 } = addressesOf(host, network)
  const name = `eth${network}`
  return [
    `link add ${name} address 02:00:00:00:0${network}:0${host} type veth peer name ${port(host, network)} netns ${switchPid}`,
    `addr add ${ipv4}/24 dev ${name}`,
    `addr add ${ipv6}/64 dev ${name}`,
    `link set ${name} up`,
    ...(network === 1 ? [`route add 224.0.0.0/4 dev ${name}`] : []),
  ]
}

/** Duplicate address detection is off, so that addresses are usable at once. */
function hostScript(hostName: string): string {
  return `
    hostname ${hostName}
    mount -t tmpfs tmpfs /run
    [ ! -d /etc/avahi ] || mount -t tmpfs tmpfs /etc/avahi
    echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad
    ip link set lo up`
}

/** Ends a program and waits for it; kills it if it ignores the signal. */
export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  const killer = AbortSignal.timeout(DEADLINE_MS)
  killer.addEventListener('abort', () => child.kill('SIGKILL'))
  await ended
}

/** Collects all lines that a program prints. */
export class Lines {
  readonly lines: string[] = []

  constructor(stream: Readable | null) {
    if (stream === null) throw new Error('the program has no such stream')
    createInterface({ input: stream }).on('line', (line) => this.lines.push(line))
  }
}
