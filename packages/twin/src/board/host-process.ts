import { type Backplane, type BackplaneEvent, type Clock, type Log, type SlotLink, sleepOn, type Timer } from '@slotwire/core'

export interface HostProcessOptions {
  readonly backplane: Backplane
  readonly clock: Clock
  readonly log: Log
}

/**
 * The resources of a process above the slots: its timers, open slots and subscriptions. A program that uses only this clock and backplane
 * can be killed: then no timer fires, no promise settles, and the kernel closes its slots.
 */
export class HostProcess {
  readonly clock: Clock
  readonly backplane: Backplane
  readonly #log: Log
  readonly #timers = new Set<Timer>()
  readonly #links = new Set<SlotLink>()
  readonly #subscriptions = new Set<() => void>()
  #killed = false

  constructor({ backplane, clock, log }: HostProcessOptions) {
    this.#log = log
    this.clock = this.wrapClock(clock)
    this.backplane = this.#wrapBackplane(backplane)
  }

  get killed(): boolean {
    return this.#killed
  }

  /** Acts like SIGKILL. The kernel closes the slots, perhaps with a delay: the modules fall back to SUSPEND. Further calls do nothing. */
  kill(): void {
    this.#killed = true
    for (const timer of this.#timers) timer.cancel()
    for (const unsubscribe of this.#subscriptions) unsubscribe()
    for (const link of this.#links) this.#close(link)
    this.#timers.clear()
    this.#subscriptions.clear()
    this.#links.clear()
  }

  /** Another clock of this process: its timers end with the process. */
  wrapClock(clock: Clock): Clock {
    const after = (delayMs: number, callback: () => void): Timer => {
      if (this.#killed) return { cancel: () => undefined }
      const timer = clock.after(delayMs, () => {
        this.#timers.delete(timer)
        callback()
      })
      this.#timers.add(timer)
      return {
        cancel: () => {
          timer.cancel()
          this.#timers.delete(timer)
        },
      }
    }
    return { now: () => clock.now(), after, sleep: (delayMs, signal) => sleepOn({ after }, delayMs, signal) }
  }

  /** Settles like `work`; never settles if the process is killed before. */
  #unlessKilled<Result>(work: Promise<Result>): Promise<Result> {
    return work.finally(() => (this.#killed ? never() : undefined))
  }

  #wrapBackplane(inner: Backplane): Backplane {
    return {
      kernelDriver: inner.kernelDriver,
      get state() {
        return inner.state
      },
      present: () => inner.present(),
      descriptor: (slot) => this.#unlessKilled(inner.descriptor(slot)),
      powerDescriptors: (lastKnown) => this.#unlessKilled(inner.powerDescriptors(lastKnown)),
      open: async (slot) => {
        const link = await inner.open(slot)
        // The process was killed while the slot was being opened.
        if (this.#killed) this.#close(link)
        return this.#unlessKilled(Promise.resolve(this.#wrapLink(link)))
      },
      hostDevices: (query) => this.#unlessKilled(inner.hostDevices(query)),
      subscribe: (listener) => this.#subscribe(inner, listener),
    }
  }

  #wrapLink(link: SlotLink): SlotLink {
    this.#links.add(link)
    const unlessKilled =
      <Payload extends readonly unknown[]>(listener: (...payload: Payload) => void) =>
      (...payload: Payload): void => {
        if (!this.#killed) listener(...payload)
      }
    return {
      slot: link.slot,
      exchange: (payload) => (this.#killed ? never() : this.#unlessKilled(link.exchange(payload))),
      ...(link.onOperationSent === undefined
        ? {}
        : { onOperationSent: (listener) => link.onOperationSent?.(unlessKilled(listener)) }),
      onRestart: (listener) => link.onRestart?.(unlessKilled(listener)),
      onNotification: (listener) => link.onNotification(unlessKilled(listener)),
      close: () => {
        this.#links.delete(link)
        return this.#killed ? never() : this.#unlessKilled(link.close())
      },
    }
  }

  #subscribe(inner: Backplane, listener: (event: BackplaneEvent) => void): () => void {
    if (this.#killed) return () => undefined
    const unsubscribe = inner.subscribe(listener)
    this.#subscriptions.add(unsubscribe)
    return () => {
      this.#subscriptions.delete(unsubscribe)
      unsubscribe()
    }
  }

  #close(link: SlotLink): void {
    link.close().catch((error: unknown) => {
      this.#log.error({ slot: link.slot, err: error }, 'the slot of a killed process could not be closed')
    })
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined)
}
