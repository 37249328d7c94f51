import { existsSync } from 'node:fs'
import { LinkError, type ModuleDescriptor } from '@slotwire/core'
import { encodeNotification } from '@slotwire/sdbp'
import type { Chassis } from '../board/chassis.ts'
import type { HostController } from '../bus/host-controller.ts'
import type { KernelTree } from './kernel-tree.ts'

/** Replaces an errno of the kernel, which a pseudo-terminal cannot return. */
const NO_ANSWER = Uint8Array.of(0)
/** The answer of a module that has no notification. Readers skip it. */
const NOTHING = Buffer.from(encodeNotification(undefined))

/** Follows what passes between the driver and the modules. Tests use it to wait. */
export interface TrafficObserver {
  /** Work that has begun. */
  track<Result>(work: Promise<Result>): Promise<Result>
  arrived(slot: number): void
  answered(slot: number): void
  closed(slot: number): void
  notificationShown(slot: number): void
  /** A reader has one of them, which it skips. */
  notificationSkipped(slot: number): void
  left(slot: number): void
}

/** Simulates the kernel driver: owns the bus of a chassis and shows its modules as a tree of files. */
export class KernelSide {
  readonly #failures = new Map<number, LinkError>()
  readonly #descriptors = new Map<number, ModuleDescriptor>()
  readonly #departures = new Map<number, number>()
  readonly #failedNotifications = new Map<number, number>()
  readonly #restartListeners = new Map<number, () => void>()
  readonly #unsubscribe: () => void
  /** Arrivals and departures by slot, processed in order. */
  readonly #changes = new Map<number, Promise<void>>()
  /** Called when a module has arrived or left, like a uevent. */
  onChange: () => Promise<void> = () => Promise.resolve()

  constructor(
    private readonly chassis: Chassis,
    private readonly tree: KernelTree,
    private readonly traffic?: TrafficObserver,
  ) {
    this.#unsubscribe = chassis.subscribe((event) => {
      if (event.type === 'arrived') this.#change(event.slot, () => this.#connect(event.slot))
      if (event.type === 'left') this.#change(event.slot, () => this.#disconnect(event.slot))
    })
  }

  /** Resolves when all arrivals and departures have been processed; undefined if they have been. */
  get processed(): Promise<void> | undefined {
    if (this.#changes.size === 0) return undefined
    return Promise.all(this.#changes.values()).then(() => undefined)
  }

  /** Returns and clears the failure of a slot's last exchange. */
  takeFailure(slot: number): LinkError | undefined {
    const failure = this.#failures.get(slot)
    this.#failures.delete(slot)
    return failure
  }

  /** Calls `listener` when the program that has a slot's file open sees its module restart. A pseudo-terminal is too quick for that. */
  onRestart(slot: number, listener: () => void): void {
    this.#restartListeners.set(slot, listener)
  }

  /** How often a module has left a slot. */
  departures(slot: number): number {
    return this.#departures.get(slot) ?? 0
  }

  /** Call when the file of a slot has been closed. */
  released(slot: number): void {
    if (this.tree.present.includes(slot)) this.tree.slot(slot).released()
  }

  /** Shows the current USB devices. */
  showUsb(): void {
    this.tree.showUsb(this.chassis.usb.hostDevices())
  }

  close(): void {
    this.#unsubscribe()
  }

  async #connect(slot: number): Promise<void> {
    const slotModule = await this.#find(slot)
    if (slotModule === undefined) return
    const { descriptor, link } = slotModule
    this.#descriptors.set(slot, descriptor)
    this.#listen(link)
    await this.tree.plug(slot, {
      descriptor,
      answer: (payload) => this.#exchange(link, payload),
      onClosed: () => this.#suspend(link),
      onNotificationRead: (payload) => {
        link.wasRead()
        if (NOTHING.equals(payload)) this.traffic?.notificationSkipped(slot)
      },
    })
    await this.onChange()
  }

  /** Undefined if the module has left again. */
  async #find(slot: number): Promise<{ readonly descriptor: ModuleDescriptor; readonly link: HostController } | undefined> {
    try {
      return { descriptor: await this.chassis.descriptor(slot), link: await this.chassis.open(slot) }
    } catch (error) {
      if (error instanceof LinkError && error.failure === 'gone') return undefined
      throw error
    }
  }

  #change(slot: number, work: () => Promise<void>): void {
    const before = this.#changes.get(slot)
    const begun = before === undefined ? work() : before.then(work)
    const change = (this.traffic?.track(begun) ?? begun).catch(this.tree.onFailure).then(() => {
      if (this.#changes.get(slot) === change) this.#changes.delete(slot)
    })
    this.#changes.set(slot, change)
  }

  async #disconnect(slot: number): Promise<void> {
    this.traffic?.left(slot)
    this.#departures.set(slot, this.departures(slot) + 1)
    this.#failedNotifications.delete(slot)
    if (this.tree.present.includes(slot)) this.tree.unplug(slot)
    await this.onChange()
  }

  async #exchange(link: HostController, payload: Buffer): Promise<Uint8Array> {
    this.traffic?.arrived(link.slot)
    try {
      return await link.exchange(payload)
    } catch (error) {
      if (!(error instanceof LinkError)) throw error
      this.#failures.set(link.slot, error)
      return NO_ANSWER
    } finally {
      this.#showDescriptor(link)
      this.traffic?.answered(link.slot)
    }
  }

  async #suspend(link: HostController): Promise<void> {
    this.traffic?.closed(link.slot)
    await link.close()
    // Closing removed the listeners, but the next program may open the slot.
    this.#listen(link)
    this.#showDescriptor(link)
  }

  #listen(link: HostController): void {
    link.onNotification((payload) => this.#notify(link.slot, payload))
    link.isUnread = () => this.tree.present.includes(link.slot) && this.tree.slot(link.slot).isUnread
    link.onRestart(() => this.#restartListeners.get(link.slot)?.())
  }

  #showDescriptor({ slot, descriptor, failedNotifications }: HostController): void {
    if (!this.tree.present.includes(slot) || !this.chassis.present().includes(slot)) return
    // The tree may have been removed while a file was closing.
    if (!existsSync(this.tree.folder(slot))) return
    if (failedNotifications !== (this.#failedNotifications.get(slot) ?? 0)) {
      this.#failedNotifications.set(slot, failedNotifications)
      this.tree.writeAttribute(slot, 'stats_failed_notifications', failedNotifications)
    }
    if (descriptor === undefined || descriptor === this.#descriptors.get(slot)) return
    this.#descriptors.set(slot, descriptor)
    this.tree.slot(slot).writeAttributes(this.tree.folder(slot), descriptor)
  }

  #notify(slot: number, payload: Uint8Array): void {
    if (!this.tree.present.includes(slot)) return
    this.traffic?.notificationShown(slot)
    this.tree.slot(slot).notify(payload)
  }
}
