import type { Clock, Timer } from '@slotwire/core'
import type { Scenario } from '@slotwire/scenario'

/** How often the bar is drawn, in ms. */
const REDRAW_MS = 100
const BAR_WIDTH = 24
const MS_PER_SECOND = 1000
/** To the beginning of the line, and away with it. */
const ERASE = '\r\x1b[2K'
/** Width of a terminal that does not tell it: some say 0. */
const DEFAULT_COLUMNS = 80

/** A terminal for people. */
export interface Terminal {
  readonly columns?: number | undefined
  write(text: string): unknown
}

/** Which of the scenarios runs, and how far it is. */
export interface Position {
  readonly scenario: Scenario
  /** From 1. */
  readonly number: number
  readonly count: number
  /** Twin time since it began, in ms. */
  readonly atMs: () => number
}

/** A line at the end of a terminal that shows how far scenarios are; without a terminal it shows nothing. */
export class ProgressBar {
  readonly #terminal: Terminal | undefined
  readonly #clock: Clock
  #timer: Timer | undefined
  #isDrawn = false

  constructor(terminal: Terminal | undefined, clock: Clock) {
    this.#terminal = terminal
    this.#clock = clock
  }

  /** Follows one scenario, until `erase`. */
  follow(position: Position): void {
    this.erase()
    const terminal = this.#terminal
    if (terminal === undefined) return
    const draw = (): void => {
      this.#timer = this.#clock.after(REDRAW_MS, draw)
      terminal.write(`${ERASE}${barLine(position, terminal.columns || DEFAULT_COLUMNS)}`)
      this.#isDrawn = true
    }
    // What is over by then is not worth a line that flickers.
    this.#timer = this.#clock.after(REDRAW_MS, draw)
  }

  /** Takes the line away: before anything else is written, and at the end. */
  erase(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    if (this.#isDrawn) this.#terminal?.write(ERASE)
    this.#isDrawn = false
  }
}

/** `████────────  40 %  2/10  brown-out  12 s of 30 s`, in one line of the terminal. */
export function barLine({ scenario, number, count, atMs }: Position, columns: number): string {
  const lengthMs = lengthOf(scenario)
  const share = lengthMs === 0 ? 0 : Math.min(1, atMs() / lengthMs)
  const filled = Math.floor(share * BAR_WIDTH)
  const bar = '█'.repeat(filled) + '─'.repeat(BAR_WIDTH - filled)
  const percent = String(Math.floor(share * 100)).padStart(3)
  const time = `${seconds(Math.min(atMs(), lengthMs))} of ${seconds(lengthMs)}`
  return fitting(`${bar} ${percent} %  ${number}/${count}  ${scenario.name}  ${time}`, columns - 1)
}

/** As much of a text as fits: what is not of the Latin, Greek or Cyrillic scripts may take two columns. A line that wrapped could not be erased. */
function fitting(text: string, columns: number): string {
  let free = columns
  let shown = ''
  for (const character of text) {
    free -= /[\u1100-\u{10ffff}]/u.test(character) && !/[█─…]/.test(character) ? 2 : 1
    if (free < 0) break
    shown += character
  }
  return shown
}

/** How long it will take when no step waits for anything, in ms of twin time. */
export function lengthOf({ steps, untilMs }: Pick<Scenario, 'steps' | 'untilMs'>): number {
  let atMs = 0
  for (const step of steps) atMs = step.afterMs === undefined ? Math.max(atMs, step.atMs ?? atMs) : atMs + step.afterMs
  return atMs + untilMs
}

function seconds(ms: number): string {
  return `${Math.round(ms / MS_PER_SECOND)} s`
}
