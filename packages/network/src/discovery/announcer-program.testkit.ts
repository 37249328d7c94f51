import { type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { bundleSources } from '../../../../tools/build/bundle-sources.mjs'
import { end, Lines, type TestHost } from '../network.testkit.ts'
import type { Announcement, AnnouncerKind } from './announcement.ts'

const { announcer, core } = await bundleSources({
  announcer: 'packages/network/src/discovery/create-announcer.ts',
  core: 'packages/core/src/index.ts',
})

/** Announces each line that it reads and prints the name used; says goodbye on SIGTERM. */
const SOURCE = `
  import os from 'node:os'
  import { createInterface } from 'node:readline'
  import { createAnnouncer } from '${announcer}'
  import { SystemClock, systemRandom } from '${core}'
  const say = (value) => console.log(JSON.stringify(value))
  const line = (level) => (fields, message) => say({ log: level, message, fields: { ...fields, err: fields.err?.message } })
  const log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
  const network = { interfaces: () => os.networkInterfaces(), hostName: () => os.hostname() }
  const { kind, folder } = JSON.parse(process.argv[1])
  const onRenamed = (hostName) => say({ renamed: hostName })
  const announcer = await createAnnouncer({ kind, folder, network, clock: new SystemClock(), random: systemRandom, log, onRenamed })
  process.on('SIGTERM', () => void announcer.close().then(() => process.exit(0)))
  createInterface({ input: process.stdin }).on('line', (text) => {
    announcer.announce(JSON.parse(text)).then(() => say({ announced: announcer.hostName }), (error) => say({ failed: error.message }))
  })`

/** A line of the program's output. */
type OutputLine =
  | { readonly announced: string }
  | { readonly renamed: string }
  | { readonly failed: string }
  | { readonly log: string; readonly message: string }

/** An announcer on its own test host; needs the bundled sources. */
export class AnnouncerProgram {
  readonly #child: ChildProcess
  readonly #lines: Lines
  readonly errors: Lines

  /** `folder` is its state folder. */
  constructor(
    private readonly host: TestHost,
    kind: AnnouncerKind,
    folder: string,
  ) {
    const options = JSON.stringify({ kind, folder })
    this.#child = host.start(process.execPath, ['--input-type=module', '--eval', SOURCE, options])
    this.#lines = new Lines(this.#child.stdout)
    this.errors = new Lines(this.#child.stderr)
  }

  get output(): readonly OutputLine[] {
    return this.#lines.lines.map((line) => JSON.parse(line) as OutputLine)
  }

  /** All names announced so far, in order. */
  get names(): readonly string[] {
    return this.output.flatMap((line) => ('announced' in line ? [line.announced] : 'renamed' in line ? [line.renamed] : []))
  }

  get warnings(): readonly string[] {
    return this.output.flatMap((line) => ('log' in line && line.log === 'warn' ? [line.message] : []))
  }

  get failures(): readonly string[] {
    return this.output.flatMap((line) => ('failed' in line ? [line.failed] : []))
  }

  /** Announces the host; other hosts see it a second later. */
  announce(changes: Partial<Announcement> = {}): void {
    this.#child.stdin?.write(`${JSON.stringify({ ...announcementOf(this.host), ...changes })}\n`)
  }

  /** Ends the program with a goodbye. */
  async close(): Promise<void> {
    await end(this.#child)
  }

  /** Kills the program without a goodbye. */
  async kill(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }
}

/** A device with one service and both doors, at both addresses of its host. */
export function announcementOf(host: TestHost): Announcement {
  return {
    hostName: host.hostName,
    vendor: 'Acme & <Söhne>',
    services: [{ name: 'io-module', path: '/api/io/' }],
    doors: [
      { scheme: 'https', port: 443 },
      { scheme: 'http', port: 80 },
    ],
    addresses: [host.ipv4, host.ipv6],
    machineIdPath: '/machine-id',
    tlsCaPath: '/ca.pem',
  }
}
