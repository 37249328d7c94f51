import type { Announcement, Announcer } from './announcement.ts'
import { hostLabel } from './host-label.ts'

/** Tells nobody. */
export class SilentAnnouncer implements Announcer {
  #hostName: string

  constructor(hostName: string) {
    this.#hostName = hostLabel(hostName)
  }

  /** The one that is wished for. */
  get hostName(): string {
    return this.#hostName
  }

  announce({ hostName }: Announcement): Promise<void> {
    this.#hostName = hostLabel(hostName)
    return Promise.resolve()
  }

  onRenamed(): void {
    // Nobody else hears of the name.
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}
