import type { Clock, Timer } from '@slotwire/core'
import type { Reactive } from './analysis/reactive.ts'
import type { Branch } from './branch.ts'
import { contactMoves, moved, type PressHistory } from './elements/bounce.ts'
import { Contacts } from './elements/contacts.ts'
import { IDEAL_OHMS } from './elements/element.ts'
import type { RelayValues } from './elements/relay.ts'
import { LevelTracker } from './events/level-tracker.ts'
import type { Terminal } from './terminal.ts'

/** Pause before a search is repeated that could not look far enough. */
const SEARCH_AGAIN_MS = 5

export interface RelayOptions {
  readonly clock: Pick<Clock, 'now' | 'after'>
  /** The pin of the coil. */
  readonly terminal: Terminal
  readonly coil: Reactive
  readonly contact: RelayValues
  /** Replaces the contact's branch. */
  readonly setContact: (branch: Branch) => void
}

/** Moves the contact of a relay when the current of its coil crosses a threshold. It sleeps until the next moment at which it does. */
export class RelayDrive {
  readonly #clock: Pick<Clock, 'now' | 'after'>
  readonly #terminal: Terminal
  readonly #setContact: (branch: Branch) => void
  readonly #stop: () => void
  #coil: Reactive
  #contact: RelayValues
  #isOn = false
  #history: PressHistory
  #timer: Timer | undefined

  constructor({ clock, terminal, coil, contact, setContact }: RelayOptions) {
    this.#clock = clock
    this.#terminal = terminal
    this.#setContact = setContact
    this.#coil = coil
    this.#contact = contact
    this.#history = { pressedAtFirst: contact.normallyClosed, moves: [] }
    this.#stop = terminal.onChange(() => this.#arm())
    this.#apply()
    this.#arm()
  }

  /** Changes its figures. */
  set(coil: Reactive, contact: RelayValues): void {
    const turned = contact.normallyClosed !== this.#contact.normallyClosed
    this.#coil = coil
    this.#contact = contact
    if (turned) this.#move(this.#isOn, 0)
    this.#apply()
    this.#arm()
  }

  end(): void {
    this.#timer?.cancel()
    this.#stop()
  }

  #trackerOf(wasOn: boolean): LevelTracker {
    const { releaseVolts, pullInVolts, volts, ohms } = this.#contact
    // The current of a coil at a supply flows into the pin.
    const node = this.#terminal.node.currentNode(this.#coil, volts > 0 ? -ohms : ohms)
    return new LevelTracker(node, { lowVolts: releaseVolts, highVolts: pullInVolts }, this.#clock.now(), wasOn)
  }

  #arm(): void {
    this.#timer?.cancel()
    const nowMs = this.#clock.now()
    const tracker = this.#trackerOf(this.#isOn)
    if (tracker.isHigh(nowMs) !== this.#isOn) {
      this.#timer = this.#clock.after(0, () => this.#happened())
      return
    }
    const moment = tracker.next(nowMs, this.#isOn ? 'falling' : 'rising')
    if (moment.atMs === Number.POSITIVE_INFINITY) return
    const waitMs = Math.max(moment.atMs - nowMs, moment.found ? 0 : SEARCH_AGAIN_MS)
    this.#timer = this.#clock.after(waitMs, () => (moment.found ? this.#happened() : this.#arm()))
  }

  #happened(): void {
    this.#isOn = !this.#isOn
    const { operateMs, releaseMs } = this.#contact
    this.#move(this.#isOn, this.#isOn ? operateMs : releaseMs)
    this.#apply()
    this.#arm()
  }

  #move(isOn: boolean, delayMs: number): void {
    const nowMs = this.#clock.now()
    this.#history = moved(this.#history, isOn !== this.#contact.normallyClosed, nowMs, nowMs + delayMs)
  }

  #apply(): void {
    const { pressedAtFirst, moves } = this.#history
    const closed = { volts: 0, ohms: Math.max(this.#contact.contactOhms, IDEAL_OHMS) }
    this.#setContact(new Contacts(closed, pressedAtFirst, contactMoves(pressedAtFirst, moves, this.#contact)))
  }
}
