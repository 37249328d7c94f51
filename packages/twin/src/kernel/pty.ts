import { once } from 'node:events'
import { renameSync, symlinkSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { launcher } from './launcher.ts'

/** How often socat checks whether the file has been opened, in seconds. */
const CHECK_INTERVAL_S = 0.005
/**
 * Runs the words behind it until the launcher ends: while it waits for the file to be opened, socat does not notice that its parent was killed.
 * A parent that ended before the signal was requested is another one by then. `setpriv` is from the package of `unshare`.
 */
const ENDS_WITH_PARENT = `setpriv --pdeathsig KILL -- sh -c 'test "$PPID" = "$0" && exec "$@"' $$`
/** Raw mode: bytes pass unchanged and without line buffering. A service that is not root may open it, too. */
const PTY_OPTIONS = `PTY,mode=666,raw,echo=0,wait-slave,pty-interval=${CHECK_INTERVAL_S}`
/** Number of pseudo-terminals that are opened in advance, and the most that are kept. */
const AHEAD = 4
const MAX_SPARES = 12

/** A pseudo-terminal by socat, in raw mode: one end is a file, the other is this object. Short payloads arrive in one piece. */
export class Pty {
  /** Called with each payload that was written to the file. */
  onPayload: (payload: Buffer) => void = () => undefined
  /** Resolves when the file was closed, or this end was hung up. */
  readonly closed: Promise<void>
  readonly #opened: Promise<Socket>
  #socket: Socket | undefined
  #hungUp = false
  #close: () => void = () => undefined

  private constructor(
    private readonly pid: number,
    /** The file: `/dev/pts/N`. */
    readonly file: string,
    private readonly server: Server,
  ) {
    this.closed = new Promise((resolve) => {
      this.#close = resolve
    })
    this.#opened = new Promise((resolve) => {
      server.once('connection', (socket) => {
        this.#onOpened(socket)
        resolve(socket)
      })
    })
  }

  static async open(socat: string): Promise<Pty> {
    const id = `pty${++opened}`
    const server = createServer({ allowHalfOpen: false }).listen(join(launcher.folder, id)).unref()
    await once(server, 'listening')
    const socatOptions = `-lp ${id} -d -d -t 0 ${PTY_OPTIONS} UNIX-CONNECT:${id}`
    const [, pid, file = ''] = await launcher.run(
      `${ENDS_WITH_PARENT} ${socat} ${socatOptions} &`,
      new RegExp(` ${id}\\[(\\d+)\\] N PTY is (\\S+)$`),
    )
    return new Pty(Number(pid), file, server)
  }

  /** Takes one that was opened in advance, or opens one. */
  static async take(socat: string): Promise<Pty> {
    const next = spares.shift() ?? Pty.open(socat)
    while (spares.length < AHEAD) {
      const spare = Pty.open(socat)
      // The caller of `take` gets this error.
      spare.catch(() => undefined)
      spares.push(spare)
    }
    return next
  }

  /** Whether socat has noticed that the file was opened. It may never notice a file that is closed at once. */
  get isOpen(): boolean {
    return this.#socket !== undefined
  }

  /** Makes `path` a link to the file, and replaces what was there. */
  link(path: string): void {
    symlinkSync(this.file, `${path}.new`)
    renameSync(`${path}.new`, path)
  }

  /** Resolves when the next payload has come. */
  async nextPayload(): Promise<void> {
    await once(await this.#opened, 'data')
  }

  send(payload: Uint8Array): void {
    this.#socket?.write(payload)
  }

  /** Closes this end: reads of the file then end, writes fail with EIO. */
  hangUp(): void {
    if (this.#hungUp || this.#socket?.destroyed === true) return
    this.#hungUp = true
    try {
      process.kill(this.pid, 'SIGKILL')
    } catch {
      // It has just ended.
    }
    this.#socket?.destroy()
    this.server.close()
    this.#close()
  }

  /** Keeps this one for the next `take` if it was never opened. */
  recycle(): void {
    if (this.isOpen || spares.length >= MAX_SPARES) this.hangUp()
    else spares.unshift(Promise.resolve(this))
  }

  #onOpened(socket: Socket): void {
    if (this.#hungUp) {
      socket.destroy()
      return
    }
    this.#socket = socket.unref()
    this.server.close()
    socket.on('data', (payload) => this.onPayload(payload))
    socket.on('error', () => undefined)
    socket.on('close', () => this.#close())
  }
}

let opened = 0
const spares: Promise<Pty>[] = []
