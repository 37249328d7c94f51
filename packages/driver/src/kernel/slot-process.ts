import type { Repeated } from '@slotwire/core'
import type { BusyPolling } from './busy-polling.ts'
import { ChildProgram, HEADER_SIZE } from './child-program.ts'
import { ChildEnded, Errno, KernelFileError, type SlotFile } from './kernel-files.ts'

/** Requests to a slot's process: the first byte of a message. slot.pl has the same numbers. */
const SlotRequest = { open: 1, exchange: 2, close: 3, repeat: 4 } as const
type SlotRequest = (typeof SlotRequest)[keyof typeof SlotRequest]

/**
 * The first byte of the answer. After a failure follow the errno (u32) and the name of the system call. After `repeated` follow the
 * state (u8), the count (u32) and the milliseconds (u32). `restarted` answers nothing.
 */
const SlotReply = { ok: 0, failed: 1, repeated: 2, restarted: 3 } as const

/** The state of a repeated exchange. */
const ENDS = [undefined, 'late', 'failed'] as const

/** Largest payload in bytes: the size of the kernel's buffer; wire-protocol.md section 3. */
const MAX_PAYLOAD = 4096

/** Beside this file. */
const PROGRAM = new URL('./slot.pl', import.meta.url)
const ERRNO_SIZE = 4
const LENGTH_SIZE = 2

interface Pending {
  readonly kind: SlotRequest
  readonly resolve: (payload: Uint8Array) => void
  readonly reject: (error: Error) => void
}

/** A process that has one slot's file open at a time. Its system calls may block for as long as they like. */
export class SlotProcess {
  readonly child: ChildProgram = new ChildProgram(PROGRAM, (message) => this.#onMessage(message))
  #file = ''
  #pending: Pending | undefined
  #repeating: { readonly resolve: (repeated: Repeated) => void; readonly reject: (error: Error) => void } | undefined
  #alive = true
  #closing: Promise<void> | undefined
  #onRestart: (() => void) | undefined
  /** Counts files: the owner of a closed one must not reach the next. */
  #generation = 0

  /** `onFree` is called when the file was closed and the process can open another. */
  constructor(
    private readonly quick: BusyPolling,
    private readonly onFree: (process: SlotProcess) => void,
  ) {
    void this.child.ended.then(() => {
      this.#alive = false
      this.#take()?.reject(this.#endedError())
      this.#repeating?.reject(this.#endedError())
    })
  }

  get alive(): boolean {
    return this.#alive
  }

  /** Rejects with `KernelFileError` or `ChildEnded`. Abort kills the process. */
  async open(file: string, failedNotifications: string, signal: AbortSignal): Promise<SlotFile> {
    const abort = (): void => this.child.kill()
    this.#file = file
    this.#closing = undefined
    signal.addEventListener('abort', abort)
    try {
      await this.#ask(SlotRequest.open, Buffer.from(`${file}\0${failedNotifications}`))
    } finally {
      signal.removeEventListener('abort', abort)
    }
    return this.#opened(file)
  }

  #opened(file: string): SlotFile {
    const generation = ++this.#generation
    this.#onRestart = undefined
    const isOpen = (): boolean => generation === this.#generation
    return {
      exchange: (payload) =>
        isOpen() ? this.#exchange(payload) : Promise.reject(new ChildEnded(`${file} has been closed by this process`)),
      repeat: (payload, response) =>
        isOpen() ? this.#repeat(payload, response) : Promise.reject(new ChildEnded(`${file} has been closed by this process`)),
      onRestart: (listener) => {
        if (isOpen()) this.#onRestart = listener
      },
      close: async () => {
        if (isOpen()) await this.#close()
      },
      kill: async () => {
        if (isOpen()) await this.kill()
      },
    }
  }

  #exchange(payload: Uint8Array): Promise<Uint8Array> {
    if (payload.length > MAX_PAYLOAD) return Promise.reject(new KernelFileError('write', Errno.EMSGSIZE, this.#file))
    return this.#ask(SlotRequest.exchange, payload)
  }

  #repeat(payload: Uint8Array, response: Uint8Array): Promise<Repeated> {
    if (!this.#alive) return Promise.reject(this.#endedError())
    const message = Buffer.alloc(HEADER_SIZE + 1 + 2 * LENGTH_SIZE + payload.length + response.length)
    let at = message.writeUInt8(SlotRequest.repeat, HEADER_SIZE)
    for (const part of [payload, response]) {
      at = message.writeUInt16BE(part.length, at)
      message.set(part, at)
      at += part.length
    }
    return new Promise((resolve, reject) => {
      this.#repeating = { resolve, reject }
      this.child.send(message)
    })
  }

  #close(): Promise<void> {
    this.#closing ??= this.#pending === undefined ? this.#closeFile() : this.kill()
    return this.#closing
  }

  /** Kills the process, whatever it is doing. Resolves when it has ended; never rejects. */
  async kill(): Promise<void> {
    this.child.kill()
    await this.child.ended
  }

  async #closeFile(): Promise<void> {
    try {
      await this.#ask(SlotRequest.close, Buffer.alloc(0))
      this.#generation++
      this.onFree(this)
    } catch {
      // The file is closed when the process ends; there is no other way after a failed close.
      await this.kill()
    }
  }

  #ask(kind: SlotRequest, body: Uint8Array): Promise<Uint8Array> {
    if (!this.#alive) return Promise.reject(this.#endedError())
    if (this.#pending !== undefined) return Promise.reject(new Error(`${this.#file}: one exchange at a time`))
    const message = Buffer.allocUnsafe(HEADER_SIZE + 1 + body.length)
    message[HEADER_SIZE] = kind
    message.set(body, HEADER_SIZE + 1)
    return new Promise((resolve, reject) => {
      this.#pending = { kind, resolve, reject }
      this.child.send(message)
      if (kind === SlotRequest.exchange) this.quick.onSent()
    })
  }

  #endedError(): ChildEnded {
    return new ChildEnded(`the process for ${this.#file} has ended, or could not be started`)
  }

  #take(): Pending | undefined {
    const pending = this.#pending
    this.#pending = undefined
    if (pending?.kind === SlotRequest.exchange) this.quick.onEnded()
    return pending
  }

  #onMessage(message: Buffer): void {
    if (message[0] === SlotReply.restarted) {
      this.#onRestart?.()
      return
    }
    if (message[0] === SlotReply.repeated) {
      const end = ENDS[message.readUInt8(1)]
      const done = { count: message.readUInt32BE(2), sinceMs: message.readUInt32BE(2 + ERRNO_SIZE) }
      this.#repeating?.resolve(end === undefined ? done : { ...done, end })
      return
    }
    const pending = this.#take()
    if (message[0] === SlotReply.ok) {
      pending?.resolve(new Uint8Array(message.subarray(1)))
      return
    }
    const syscall = message.toString('latin1', 1 + ERRNO_SIZE)
    pending?.reject(new KernelFileError(syscall, message.readUInt32BE(1), this.#file))
  }
}
