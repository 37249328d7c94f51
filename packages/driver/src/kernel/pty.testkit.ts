import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { renameSync, symlinkSync } from 'node:fs'

const PTY_NAME = /PTY is (\S+)\n/
/** How often socat looks whether the file has been opened, in seconds. A file that was closed before that was never open for it. */
const LOOK_INTERVAL_S = 0.005
/** Of the same package as `unshare`. While it waits for the file to be opened socat sees nothing else, not even that its parent was killed. */
const SETPRIV = 'setpriv'
const ENDS_WITH_PARENT = ['--pdeathsig', 'KILL', '--']
/** Raw: every byte as it is, none held back for a line to end. */
const PTY_OPTIONS = `PTY,raw,echo=0,wait-slave,pty-interval=${LOOK_INTERVAL_S}`

/** A pseudo-terminal by socat, in raw mode: one end is a file, the other is here. Short payloads arrive as they were written. */
export class Pty {
  /** The file: `/dev/pts/N`. */
  readonly file: string
  /** Called with what was written to the file. */
  onPayload: (payload: Buffer) => void = () => undefined
  /** Resolves when whoever had the file open has closed it, or this end has been hung up. */
  readonly closed: Promise<unknown>
  readonly #socat: ChildProcess

  private constructor(socat: ChildProcess, file: string) {
    this.#socat = socat
    this.file = file
    this.closed = once(socat, 'exit')
    socat.stdout?.on('data', (payload: Buffer) => this.onPayload(payload))
    socat.stdin?.on('error', () => undefined)
  }

  static async open(socat: string): Promise<Pty> {
    const child = spawn(SETPRIV, [...ENDS_WITH_PARENT, socat, '-d', '-d', '-t', '0', PTY_OPTIONS, 'STDIO'], {
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let told = ''
    for await (const chunk of child.stderr.iterator({ destroyOnReturn: false })) {
      told += String(chunk)
      if (PTY_NAME.test(told)) break
    }
    child.stderr.resume()
    const [, file] = PTY_NAME.exec(told) ?? []
    if (file === undefined) throw new Error(`socat has opened no pseudo-terminal: ${told}`)
    return new Pty(child, file)
  }

  /** Makes `path` another name of the file, whatever it was before. */
  link(path: string): void {
    symlinkSync(this.file, `${path}.new`)
    renameSync(`${path}.new`, path)
  }

  /** Resolves when the next payload has come: from then on this end knows that the file is open, and notices when it is closed. */
  async heard(): Promise<void> {
    const { stdout } = this.#socat
    if (stdout !== null) await once(stdout, 'data')
  }

  send(payload: Uint8Array): void {
    this.#socat.stdin?.write(payload)
  }

  /** The other end is gone: reads of the file end, writes fail with EIO. */
  hangUp(): void {
    this.#socat.kill('SIGKILL')
  }
}
