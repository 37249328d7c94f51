import { type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { type TestContext, vi } from 'vitest'
import { type HostPlan, Lines, type TestHost, TestNetwork } from '../network.testkit.ts'

const BUS = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path=/run/dbus/system_bus_socket</listen>
  <auth>EXTERNAL</auth>
  <policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/></policy>
</busconfig>
`
const DAEMON = `[server]
use-ipv4=yes
use-ipv6=yes
enable-dbus=yes
[publish]
publish-hinfo=no
publish-workstation=no
`
/** Long enough for a busy machine. */
export const PATIENCE = { timeout: 30_000, interval: 50 } as const

/** Paths of avahi's programs. */
export interface AvahiPrograms {
  readonly daemon: string
  readonly browse: string
}

/** Hosts for one test. */
export async function networkFor({ onTestFinished }: TestContext, ...plans: readonly HostPlan[]): Promise<TestNetwork> {
  const network = await TestNetwork.make(plans)
  onTestFinished(() => network.close())
  return network
}

/** Hosts for one test, and a neighbour as the last one, which runs avahi and browses for HTTPS. */
export async function withNeighbour(context: TestContext, { daemon, browse }: AvahiPrograms, ...plans: readonly HostPlan[]) {
  const network = await networkFor(context, ...plans, { hostName: 'laptop' })
  const laptop = network.host(plans.length)
  await startAvahi(laptop, daemon)
  return { network, laptop, neighbour: new Neighbour(laptop, browse, '_https._tcp') }
}

/** Starts avahi on a host, with its own message bus for avahi-browse. */
export async function startAvahi(host: TestHost, daemon: string): Promise<Avahi> {
  mkdirSync(host.path('/run/dbus'), { recursive: true })
  mkdirSync(host.path('/run/avahi-daemon'), { recursive: true })
  mkdirSync(host.path('/etc/avahi/services'), { recursive: true })
  writeFileSync(host.path('/run/dbus/bus.conf'), BUS)
  writeFileSync(host.path('/etc/avahi/avahi-daemon.conf'), DAEMON)
  host.start('dbus-daemon', ['--config-file=/run/dbus/bus.conf', '--nofork', '--nopidfile'])
  await vi.waitUntil(() => existsSync(host.path('/run/dbus/system_bus_socket')), PATIENCE)
  const child = host.start(daemon, ['--no-drop-root', '--no-chroot', '--no-rlimits'])
  const avahi = new Avahi(child)
  await vi.waitUntil(() => avahi.hostName !== undefined, PATIENCE)
  return avahi
}

/** A running avahi daemon. */
export class Avahi {
  readonly #lines: Lines

  constructor(private readonly child: ChildProcess) {
    this.#lines = new Lines(child.stderr)
  }

  /** The host name announced now. */
  get hostName(): string | undefined {
    const last = this.#lines.lines.findLast((line) => /Host name is |retrying with /.test(line))
    return /Host name is ([^.]+)\./.exec(last ?? '')?.[1]
  }

  get log(): readonly string[] {
    return this.#lines.lines
  }

  /** Stops avahi, which says goodbye. */
  stop(): void {
    this.child.kill('SIGTERM')
  }
}

/** An entry that a neighbour sees. */
export interface SeenEntry {
  readonly interfaceName: string
  readonly protocol: string
  readonly instance: string
  readonly host: string
  readonly address: string
  readonly port: number
  readonly txt: readonly string[]
}

/** Entries of a service type that a host sees through avahi-browse. */
export class Neighbour {
  readonly #lines: Lines

  constructor(host: TestHost, browse: string, type: string) {
    this.#lines = new Lines(host.start(browse, ['--parsable', '--resolve', '--no-db-lookup', type]).stdout)
  }

  /** All present entries. */
  get entries(): readonly SeenEntry[] {
    const present = new Map<string, SeenEntry | undefined>()
    for (const line of this.#lines.lines) {
      const [mark, interfaceName = '', protocol = '', name = '', , , host = '', address = '', port = '', txt = ''] =
        line.split(';')
      const key = `${interfaceName} ${protocol} ${name}`
      if (mark === '-') present.delete(key)
      if (mark !== '=') continue
      const strings = [...txt.matchAll(/"([^"]*)"/g)].map(([, text = '']) => unescaped(text))
      present.set(key, { interfaceName, protocol, instance: unescaped(name), host, address, port: Number(port), txt: strings })
    }
    return [...present.values()].filter((entry) => entry !== undefined)
  }

  /** Number of entries that disappeared. */
  get removals(): number {
    return this.#lines.lines.filter((line) => line.startsWith('-')).length
  }

  /** Distinct names of hosts with an entry. */
  get hosts(): readonly string[] {
    return [...new Set(this.entries.map(({ host }) => host))].sort()
  }
}

/** Decodes `\032`, a byte of UTF-8 in decimal. */
function unescaped(text: string): string {
  const bytes = [...text.matchAll(/\\(\d{3})|\\(.)|([^\\])/gu)].flatMap(([, code, quoted, plain]) =>
    code === undefined ? [...new TextEncoder().encode(quoted ?? plain ?? '')] : [Number(code)],
  )
  return new TextDecoder().decode(Uint8Array.from(bytes))
}
