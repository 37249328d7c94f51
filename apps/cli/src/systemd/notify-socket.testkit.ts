import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Prints each datagram on its own line. It takes no file descriptors, so the one by which a sender waits closes immediately. */
const RECEIVER = `use Socket; $| = 1; my $s; socket($s, AF_UNIX, SOCK_DGRAM, 0) && bind($s, sockaddr_un($ARGV[0])) or die $!; print "bound\\n";
while (defined recv($s, my $m, 65536, 0)) { $m =~ s/\\n/ /g; print "$m\\n" }`

/** systemd's end of `NOTIFY_SOCKET`. */
export class NotifySocket {
  readonly #folder: string = mkdtempSync(join(tmpdir(), 'slotwire-notify-'))
  readonly path: string = join(this.#folder, 'notify')
  readonly #receiver: ChildProcess
  readonly #datagrams: string[] = []
  readonly #bound: Promise<unknown>

  constructor(perl: string) {
    this.#receiver = spawn(perl, ['-e', RECEIVER, this.path], { stdio: ['ignore', 'pipe', 'inherit'] })
    if (this.#receiver.stdout === null) throw new Error('no standard output')
    const lines = createInterface({ input: this.#receiver.stdout })
    lines.on('line', (line: string) => this.#datagrams.push(line))
    this.#bound = once(lines, 'line')
  }

  async ready(): Promise<void> {
    await this.#bound
  }

  /** The notifications so far: `READY=1 STATUS=…`. */
  get notified(): readonly string[] {
    return this.#datagrams.filter((text) => text !== 'bound' && text !== 'BARRIER=1')
  }

  /** Number of watchdog notifications. */
  get fed(): number {
    return this.notified.filter((text) => text.startsWith('WATCHDOG=1')).length
  }

  async close(): Promise<void> {
    const ended = once(this.#receiver, 'exit')
    this.#receiver.kill('SIGKILL')
    await ended
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
