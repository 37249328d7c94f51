import { type FileContent, KernelFileError, type KernelFiles, type SlotFile } from './kernel-files.ts'

type ScriptedExchange = (payload: Uint8Array) => Promise<Uint8Array>

/** Scripted system calls, for results that no pseudo-terminal or FIFO gives. */
export class ScriptedFiles implements KernelFiles {
  /** Files and their contents. A folder exists while it contains a file. */
  readonly contents = new Map<string, string>()
  /** Symbolic links and what they lead to. */
  readonly links = new Map<string, string>()
  /** The answers of the slots' files, by path. */
  readonly slots = new Map<string, ScriptedExchange>()
  /** Called when a slot's file is closed. */
  onClose: () => void = () => undefined
  /** The calls in order: `open /dev/slot3`. Reads of `/sys` are left out. */
  readonly calls: string[] = []
  readonly #failures = new Map<string, { readonly errno: number; left: number }>()
  readonly #following = new Map<
    string,
    { readonly onContent: (content: string) => void; readonly reject: (error: Error) => void }
  >()

  /** The next `times` calls of that name on that file fail. */
  fail(syscall: string, file: string, errno: number, times = 1): void {
    this.#failures.set(`${syscall} ${file}`, { errno, left: times })
  }

  /** Whether this notification file is being read. */
  isRead(file: string): boolean {
    return this.#following.has(file)
  }

  /** A read of this file ends with content, or the reader ends with an errno. */
  wake(file: string, with_: string | number): void {
    const following = this.#following.get(file)
    if (typeof with_ === 'string') following?.onContent(with_)
    else if (this.#following.delete(file)) following?.reject(new KernelFileError('read', with_, file))
  }

  remove(folder: string): void {
    for (const path of [...this.contents.keys()]) if (path.startsWith(`${folder}/`)) this.contents.delete(path)
  }

  async list(folder: string): Promise<readonly string[]> {
    this.#failIfScripted('scandir', folder)
    const inside = [...this.contents.keys()].filter((path) => path.startsWith(`${folder}/`))
    if (inside.length === 0) throw new KernelFileError('scandir', 2, folder)
    return [...new Set(inside.map((path) => path.slice(folder.length + 1).split('/')[0] ?? ''))]
  }

  async resolve(file: string): Promise<string> {
    this.#failIfScripted('realpath', file)
    return this.links.get(file) ?? file
  }

  async read(files: readonly string[]): Promise<readonly FileContent[]> {
    return files.map((file) => {
      try {
        this.#failIfScripted('read', file)
        return this.contents.get(file) ?? new KernelFileError('open', 2, file)
      } catch (error) {
        if (error instanceof KernelFileError) return error
        throw error
      }
    })
  }

  async write(file: string, content: string): Promise<void> {
    this.#failIfScripted('write', file)
    if (!this.contents.has(file)) throw new KernelFileError('open', 2, file)
    this.calls.push(`write ${file} ${content.charCodeAt(0)}`)
  }

  async follow(file: string, _failedBefore: boolean, onContent: (content: string) => void, signal: AbortSignal): Promise<void> {
    this.#failIfScripted('read', file)
    const force = (): void => {
      this.calls.push(`force ${file}`)
      this.wake(file, 4)
    }
    signal.addEventListener('abort', force)
    try {
      await new Promise<void>((_, reject) => this.#following.set(file, { onContent, reject }))
    } finally {
      signal.removeEventListener('abort', force)
    }
  }

  async open(file: string, _failedNotifications: string, signal: AbortSignal): Promise<SlotFile> {
    this.calls.push(`open ${file}`)
    this.#failIfScripted('open', file)
    const exchange = this.slots.get(file)
    if (exchange === undefined) {
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new KernelFileError('open', 4, file))))
    }
    return {
      exchange: async (payload) => {
        this.#failIfScripted('write', file)
        this.#failIfScripted('read', file)
        return (await exchange?.(payload)) ?? payload
      },
      close: async () => {
        this.calls.push(`close ${file}`)
        this.onClose()
      },
      kill: async () => void this.calls.push(`kill ${file}`),
    }
  }

  replaceReader(): void {
    this.calls.push('replace reader')
  }

  close(): Promise<void> {
    this.calls.push('close')
    return Promise.resolve()
  }

  #failIfScripted(syscall: string, file: string): void {
    const failure = this.#failures.get(`${syscall} ${file}`)
    if (failure === undefined || failure.left-- <= 0) return
    throw new KernelFileError(syscall, failure.errno, file)
  }
}

const ATTRIBUTES: Readonly<Record<string, string>> = {
  vendor_product_id: 'example.org/relay',
  vendor_name: 'Example',
  product_name: 'relay',
  serial_code: '0123-4567-89AB-CDEF-0000-0000-0000-0001',
  fw_version: 'S.00001.00002.00003',
  hw_version: '00001.00000.00010',
  protocol_version: '00001.00000.00000',
  bootloader_state: '1',
  max_frame_size: '4096',
  max_sclk_speed: '16000',
  max_power_3v3: '100',
  max_power_5v0: '2500',
  max_power_12v: '0',
  rid: '1804289383',
}

/** Puts a module of type `example.org/relay` into a slot; `values` replaces attribute values. */
export function plug(files: ScriptedFiles, slot: number, values: Readonly<Record<string, string>> = {}): void {
  for (const [name, value] of Object.entries({ ...ATTRIBUTES, ...values })) {
    files.contents.set(`/sys/class/sdbp/slot${slot}/${name}`, `${value}\0`)
  }
}
