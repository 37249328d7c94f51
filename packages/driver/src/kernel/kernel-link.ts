import { type Clock, LinkError, type SlotLink } from '@slotwire/core'
import type { SlotFile } from './kernel-files.ts'

/** Longest that closing a slot's file may take before it is done by force, in milliseconds; the kernel takes some 200 of them. */
export const CLOSE_LIMIT_MS = 1000

/** Closes a slot's file, by force when that takes too long. Resolves when nobody has it open any more; never rejects. */
export function closeSlotFile(file: SlotFile, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      force.cancel()
      resolve()
    }
    const force = clock.after(CLOSE_LIMIT_MS, () => void file.kill().then(done))
    void file.close().then(done)
  })
}

export interface KernelLinkOptions {
  readonly slot: number
  readonly file: SlotFile
  readonly clock: Clock
  /** Makes a `LinkError` of whatever an exchange rejected with. */
  readonly errorOf: (error: unknown) => Promise<Error>
  /** Called once, with what resolves when the file is closed. */
  readonly onClosed: (closed: Promise<void>) => void
}

/** The way to one module through `/dev/slotN`. */
export class KernelLink implements SlotLink {
  readonly slot: number
  readonly #file: SlotFile
  readonly #clock: Clock
  readonly #errorOf: (error: unknown) => Promise<Error>
  readonly #onClosed: (closed: Promise<void>) => void
  #listener: ((payload: Uint8Array) => void) | undefined
  #closing: Promise<void> | undefined

  constructor(options: KernelLinkOptions) {
    this.slot = options.slot
    this.#file = options.file
    this.#clock = options.clock
    this.#errorOf = options.errorOf
    this.#onClosed = options.onClosed
  }

  exchange(payload: Uint8Array): Promise<Uint8Array> {
    // The process that had the file open may have another slot's by now.
    if (this.#closing !== undefined) return Promise.reject(new LinkError('gone', `slot ${this.slot} has been closed`))
    return this.#file.exchange(payload).catch(this.#fail)
  }

  onNotification(listener: (payload: Uint8Array) => void): void {
    this.#listener = listener
  }

  /** The module had something to tell. Nobody is told while nobody listens. */
  notify(payload: Uint8Array): void {
    this.#listener?.(payload)
  }

  /** Closes the file, at once and by force while an exchange is under way. Resolves when that is done; never rejects. */
  close(): Promise<void> {
    if (this.#closing === undefined) {
      this.#listener = undefined
      this.#closing = closeSlotFile(this.#file, this.#clock)
      this.#onClosed(this.#closing)
    }
    return this.#closing
  }

  readonly #fail = async (error: unknown): Promise<never> => {
    throw await this.#errorOf(error)
  }
}
