import type { Backplane, BackplaneEvent, SlotLink } from '@slotwire/core'

/** A backplane that counts what goes over it. */
export class CountedBackplane implements Backplane {
  readonly #inner: Backplane
  readonly #exchanges = new Map<number, number>()

  constructor(inner: Backplane) {
    this.#inner = inner
  }

  get kernelDriver() {
    return this.#inner.kernelDriver
  }

  get state() {
    return this.#inner.state
  }

  /** Exchanges of one slot that have ended well since the start; heartbeats and retries count, failures do not. */
  exchanges(slot: number): number {
    return this.#exchanges.get(slot) ?? 0
  }

  present(): readonly number[] {
    return this.#inner.present()
  }

  descriptor(slot: number): ReturnType<Backplane['descriptor']> {
    return this.#inner.descriptor(slot)
  }

  powerDescriptors(): ReturnType<Backplane['powerDescriptors']> {
    return this.#inner.powerDescriptors()
  }

  async open(slot: number): Promise<SlotLink> {
    const link = await this.#inner.open(slot)
    return {
      slot,
      exchange: async (payload) => {
        const response = await link.exchange(payload)
        this.#exchanges.set(slot, this.exchanges(slot) + 1)
        return response
      },
      ...(link.onOperationSent === undefined ? {} : { onOperationSent: link.onOperationSent.bind(link) }),
      onNotification: (listener) => link.onNotification(listener),
      close: () => link.close(),
    }
  }

  hostDevices(...query: Parameters<Backplane['hostDevices']>): ReturnType<Backplane['hostDevices']> {
    return this.#inner.hostDevices(...query)
  }

  subscribe(listener: (event: BackplaneEvent) => void): () => void {
    return this.#inner.subscribe(listener)
  }
}
