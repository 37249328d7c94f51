import {
  type Backplane,
  type BackplaneEvent,
  type BackplaneState,
  type Clock,
  type LastKnownPower,
  LinkError,
  lastKnownOr,
  type ModuleDescriptor,
  type PowerDescriptor,
  type SlotLink,
} from '@slotwire/core'
import { FakeModule, relayDescriptor } from '../slot/fake-module.testkit.ts'

export interface Plugged {
  readonly module: FakeModule
  descriptor: ModuleDescriptor
}

/** A device with slots that are filled and emptied by calls. */
export class FakeBackplane implements Backplane {
  readonly kernelDriver = { major: 1, minor: 3, patch: 0 }
  state: BackplaneState = 'up'
  readonly #slots = new Map<number, Plugged>()
  readonly #listeners = new Set<(event: BackplaneEvent) => void>()
  /** Slots in the order of attempts to open them. */
  readonly opened: number[] = []
  /** Called before each open, to delay it or make it fail. */
  beforeOpen: (slot: number) => Promise<void> = () => Promise.resolve()
  /** Slots whose power descriptors cannot be read. */
  readonly unreadable = new Set<number>()
  beforePowerDescriptors: () => Promise<void> = () => Promise.resolve()
  beforeDescriptor: (slot: number) => Promise<void> = () => Promise.resolve()

  constructor(private readonly clock: Clock) {}

  get listeners(): number {
    return this.#listeners.size
  }

  plug(slot: number, descriptor: Partial<ModuleDescriptor> = {}): FakeModule {
    const module = new FakeModule(this.clock, slot)
    this.#slots.set(slot, { module, descriptor: { ...relayDescriptor, ...descriptor } })
    this.emit({ type: 'arrived', slot })
    return module
  }

  unplug(slot: number): void {
    this.#slots.delete(slot)
    this.emit({ type: 'left', slot })
  }

  at(slot: number): Plugged {
    const plugged = this.#slots.get(slot)
    if (plugged === undefined) throw new LinkError('gone', `slot ${slot} is empty`)
    return plugged
  }

  /** The whole device disappears with its modules. */
  restart(): void {
    this.state = 'restarting'
    const slots = this.present()
    this.#slots.clear()
    this.emit({ type: 'restarting' })
    for (const slot of slots) this.emit({ type: 'left', slot })
  }

  up(): void {
    this.state = 'up'
    this.emit({ type: 'up' })
  }

  emit(event: BackplaneEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  present(): readonly number[] {
    return [...this.#slots.keys()].sort((one, other) => one - other)
  }

  async descriptor(slot: number): Promise<ModuleDescriptor> {
    await this.beforeDescriptor(slot)
    return this.at(slot).descriptor
  }

  async powerDescriptors(lastKnown?: LastKnownPower): Promise<ReadonlyMap<number, PowerDescriptor>> {
    await this.beforePowerDescriptors()
    const read = (slot: number): PowerDescriptor =>
      this.unreadable.has(slot)
        ? lastKnownOr(new LinkError('transfer-failed', `slot ${slot}: erased`), slot, lastKnown)
        : this.at(slot).descriptor
    return new Map(this.present().map((slot) => [slot, read(slot)]))
  }

  async open(slot: number): Promise<SlotLink> {
    this.opened.push(slot)
    const { module } = this.at(slot)
    await this.beforeOpen(slot)
    return module
  }

  hostDevices(): Promise<readonly never[]> {
    return Promise.resolve([])
  }

  subscribe(listener: (event: BackplaneEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }
}
