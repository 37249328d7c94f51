import type { Clock, Timer } from '@slotwire/core'
import type { Scenario } from '@slotwire/scenario'

/** Time between two redraws, in ms. */
const REDRAW_MS = 100
const BAR_WIDTH = 24
const MS_PER_SECOND = 1000
/** Moves to the start of the line and erases it. */
const ERASE = '\r\x1b[2K'
/** Width of a terminal that does not report it, or reports 0. */
const DEFAULT_COLUMNS = 80

/** An interactive terminal. */
export interface ProgressTerminal {
  readonly columns?: number | undefined
  write(text: string): unknown
}

/** The running scenario and its progress. */
export interface RunProgress {
  readonly scenario: Scenario
  /** Counted from 1. */
  readonly number: number
  readonly count: number
  /** Twin time since its start, in ms. */
  readonly atMs: () => number
}

/** A progress bar on the last line of a terminal. Without a terminal it shows nothing. */
export class ProgressBar {
  #timer: Timer | undefined
  #isDrawn = false

  constructor(
    private readonly terminal: ProgressTerminal | undefined,
    private readonly clock: Clock,
  ) {}

  /** Shows the progress of one scenario until `erase`. */
  follow(position: RunProgress): void {
    this.erase()
    const terminal = this.terminal
    if (terminal === undefined) return
    const draw = (): void => {
      this.#timer = this.clock.after(REDRAW_MS, draw)
      terminal.write(`${ERASE}${barLine(position, terminal.columns || DEFAULT_COLUMNS)}`)
      this.#isDrawn = true
    }
    // A scenario that ends before the first redraw shows no bar, which would only flicker.
    this.#timer = this.clock.after(REDRAW_MS, draw)
  }

  /** Erases the bar: before other output, and at the end. */
  erase(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    if (this.#isDrawn) this.terminal?.write(ERASE)
    this.#isDrawn = false
  }
}

/** `████────────  40 %  2/10  brown-out  12 s of 30 s`, in one line of the terminal. */
export function barLine({ scenario, number, count, atMs }: RunProgress, columns: number): string {
  const lengthMs = lengthOf(scenario)
  const share = lengthMs === 0 ? 0 : Math.min(1, atMs() / lengthMs)
  const filled = Math.floor(share * BAR_WIDTH)
  const bar = '█'.repeat(filled) + '─'.repeat(BAR_WIDTH - filled)
  const percent = String(Math.floor(share * 100)).padStart(3)
  const time = `${seconds(Math.min(atMs(), lengthMs))} of ${seconds(lengthMs)}`
  return fitting(`${bar} ${percent} %  ${number}/${count}  ${scenario.name}  ${time}`, columns - 1)
}

/** The part of a text that fits. Characters outside Latin, Greek and Cyrillic may take two columns. A wrapped line could not be erased. */
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

/** Length of a scenario if no step waits, in ms of twin time. */
export function lengthOf({ steps, untilMs }: Pick<Scenario, 'steps' | 'untilMs'>): number {
  let atMs = 0
  for (const step of steps) atMs = step.afterMs === undefined ? Math.max(atMs, step.atMs ?? atMs) : atMs + step.afterMs
  return atMs + untilMs
}

function seconds(ms: number): string {
  return `${Math.round(ms / MS_PER_SECOND)} s`
}
