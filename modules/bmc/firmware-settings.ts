import type { Log } from '@slotwire/core'
import { type NonVolatileMemory, Refusal } from '@slotwire/twin'
import { bmcLimits, DEFAULT_SHUTDOWN_TIMEOUT_MS } from './limits.ts'
import { BmcStatus } from './wire.ts'

/** The contents of a bmc's non-volatile memory. */
export interface BmcSettings {
  /** 0: off. */
  readonly watchdogTimeoutMs: number
  readonly shutdownTimeoutMs: number
  readonly usbHubEnabled: boolean
  readonly disabledUsbSlots: readonly number[]
}

const FACTORY_SETTINGS: BmcSettings = {
  watchdogTimeoutMs: 0,
  shutdownTimeoutMs: DEFAULT_SHUTDOWN_TIMEOUT_MS,
  usbHubEnabled: true,
  disabledUsbSlots: [],
}

/**
 * The saved settings. While the memory is corrupt, or while it has not been read since the start, it uses the factory settings and saves
 * nothing (emergency mode).
 */
export class SettingsStore {
  #saved = FACTORY_SETTINGS
  #emergency = false
  /** Whether the memory was ever read: then its settings are valid while it cannot be read again. */
  #isRead = false

  constructor(
    private readonly memory: NonVolatileMemory,
    private readonly log: Log,
  ) {}

  get saved(): BmcSettings {
    return this.#saved
  }

  get emergency(): boolean {
    if (this.#emergency && !this.#isRead) this.reload()
    return this.#emergency
  }

  /** Reads the memory again, and enters or leaves emergency mode accordingly. False if the memory cannot be read. */
  reload(): boolean {
    const content = this.memory.load()
    if (content.state === 'unreadable') {
      if (!this.#emergency) this.log.error({ reason: content.reason }, 'the memory of the bmc cannot be read')
      this.#emergency ||= !this.#isRead
      return false
    }
    this.#isRead = true
    const settings =
      content.state === 'ok' ? settingsOf(content.document) : content.state === 'empty' ? FACTORY_SETTINGS : undefined
    if (settings === undefined && !this.#emergency) {
      const reason = content.state === 'corrupt' ? content.reason : 'holds values that cannot be'
      this.log.error({ reason }, 'the memory of the bmc is corrupt: emergency mode')
    }
    this.#emergency = settings === undefined
    this.#saved = settings ?? FACTORY_SETTINGS
    return true
  }

  /** Saved durably when it returns. Throws `Refusal`: flash protected in emergency mode, failed if the memory cannot be read or written. */
  save(change: Partial<BmcSettings>): void {
    const isRead = this.reload()
    if (this.#emergency) throw new Refusal(BmcStatus.flashProtected)
    if (!isRead) throw new Refusal(BmcStatus.failed)
    const settings = { ...this.#saved, ...change }
    this.#write(() => this.memory.save(settings))
    this.#saved = settings
  }

  /** Restores the factory settings and ends emergency mode. Throws `Refusal` if the memory cannot be written. */
  clear(): void {
    this.#write(() => this.memory.clear())
    this.reload()
  }

  #write(write: () => void): void {
    try {
      write()
    } catch (error) {
      this.log.error({ err: error }, 'the memory of the bmc cannot be written')
      throw new Refusal(BmcStatus.failed)
    }
  }
}

/** Parses settings; undefined if this firmware cannot have written the document. A missing setting has its factory value. */
export function settingsOf(document: Readonly<Record<string, unknown>>): BmcSettings | undefined {
  const { watchdogTimeoutMs, shutdownTimeoutMs, usbHubEnabled, disabledUsbSlots } = { ...FACTORY_SETTINGS, ...document }
  if (watchdogTimeoutMs !== 0 && !isWithin(watchdogTimeoutMs, bmcLimits.watchdogTimeoutMs)) return undefined
  if (!isWithin(shutdownTimeoutMs, bmcLimits.shutdownTimeoutMs)) return undefined
  if (typeof usbHubEnabled !== 'boolean' || !Array.isArray(disabledUsbSlots)) return undefined
  if (!disabledUsbSlots.every((slot) => isWithin(slot, bmcLimits.usbSlot))) return undefined
  return { watchdogTimeoutMs, shutdownTimeoutMs, usbHubEnabled, disabledUsbSlots }
}

function isWithin(value: unknown, { min, max }: { readonly min: number; readonly max: number }): value is number {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max
}
