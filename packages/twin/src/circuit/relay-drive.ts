import type { Clock, Timer } from '@slotwire/core'
import { isReactive } from './branch.ts'
import { Contacts, contactMoves, moved, type PressHistory, type RelayValues } from './elements/contacts.ts'
import { IDEAL_OHMS } from './elements/element.ts'
import { LevelTracker } from './events/level-tracker.ts'
import type { Attachment } from './terminal.ts'

/** Pause before a search is repeated that could not look far enough. */
const SEARCH_AGAIN_MS = 5

/** Moves the contact of a relay when the current of its coil crosses a threshold. It sleeps until the next moment at which it does. */
export class RelayDrive {
  readonly #coil: Attachment
  readonly #contact: Attachment
  readonly #stop: () => void
  #isOn = false
  #history: PressHistory
  #timer: Timer | undefined

  constructor(
    private readonly clock: Pick<Clock, 'now' | 'after'>,
    [coil, contact]: readonly [Attachment, Attachment],
    private values: RelayValues,
  ) {
    this.#coil = coil
    this.#contact = contact
    this.#history = { pressedAtFirst: values.normallyClosed, moves: [] }
    this.#stop = coil.ends[0].onChange(() => this.#arm())
    this.#apply()
    this.#arm()
  }

  /** Changes its figures. */
  set(values: RelayValues): void {
    const turned = values.normallyClosed !== this.values.normallyClosed
    this.values = values
    if (turned) this.#move(this.#isOn, 0)
    this.#apply()
    this.#arm()
  }

  end(): void {
    this.#timer?.cancel()
    this.#stop()
  }

  #arm(): void {
    this.#timer?.cancel()
    const { branch, ends } = this.#coil
    if (branch === undefined || !isReactive(branch)) return
    const nowMs = this.clock.now()
    const { releaseVolts, pullInVolts, volts, ohms } = this.values
    // The current of a coil at a supply flows into the pin.
    const node = ends[0].node.currentProbe(branch, volts > 0 ? -ohms : ohms)
    const tracker = new LevelTracker(node, { lowVolts: releaseVolts, highVolts: pullInVolts }, nowMs, this.#isOn)
    if (tracker.isHigh(nowMs) !== this.#isOn) {
      this.#timer = this.clock.after(0, () => this.#happened())
      return
    }
    const moment = tracker.next(nowMs, this.#isOn ? 'falling' : 'rising')
    if (moment.atMs === Number.POSITIVE_INFINITY) return
    const waitMs = Math.max(moment.atMs - nowMs, moment.found ? 0 : SEARCH_AGAIN_MS)
    this.#timer = this.clock.after(waitMs, () => (moment.found ? this.#happened() : this.#arm()))
  }

  #happened(): void {
    this.#isOn = !this.#isOn
    const { operateMs, releaseMs } = this.values
    this.#move(this.#isOn, this.#isOn ? operateMs : releaseMs)
    this.#apply()
    this.#arm()
  }

  #move(isOn: boolean, delayMs: number): void {
    const nowMs = this.clock.now()
    this.#history = moved(this.#history, isOn !== this.values.normallyClosed, nowMs, nowMs + delayMs)
  }

  #apply(): void {
    const { pressedAtFirst, moves } = this.#history
    const closed = { volts: 0, ohms: Math.max(this.values.contactOhms, IDEAL_OHMS) }
    this.#contact.replace(new Contacts(closed, pressedAtFirst, contactMoves(pressedAtFirst, moves, this.values)))
  }
}
