import { visible } from '@slotwire/core'
import { colors } from '../terminal/text.ts'

const BARS = '▁▂▃▄▅▆▇█'
/** Values in a sparkline. */
const MOST_VALUES = 40
const FIXED_WIDTH = 30
/** Without line wrap what does not fit is cut, so that each pin stays one line (DECAWM). */
const NO_WRAP = '\x1b[?7l'
const WRAP = '\x1b[?7h'
/** An alert is shown in this many redraws. */
const FLASHES = 8

interface Line {
  readonly values: number[]
  unit: string
  alerts: string
  flashes: number
}

/** Pins on a terminal, drawn again at each change: value, unit, the last values as a sparkline, and alerts. */
export class LiveTable {
  readonly #print: (text: string) => void
  readonly #width: number
  readonly #lines = new Map<string, Line>()
  #drawn = 0

  constructor(print: (text: string) => void, { columns }: { readonly columns: number }) {
    this.#print = print
    this.#width = Math.max(1, Math.min(MOST_VALUES, columns - FIXED_WIDTH))
  }

  set(pin: string, value: number, unit: string): void {
    const line = this.#at(pin)
    line.unit = unit
    line.values.push(value)
    if (line.values.length > this.#width) line.values.shift()
    this.#draw()
  }

  flash(pin: string, alerts: readonly string[]): void {
    const line = this.#at(pin)
    line.alerts = alerts.join(' ')
    line.flashes = FLASHES
    this.#draw()
  }

  #at(pin: string): Line {
    const line = this.#lines.get(pin) ?? { values: [], unit: '', alerts: '', flashes: 0 }
    this.#lines.set(pin, line)
    return line
  }

  #draw(): void {
    const rows = [...this.#lines].map(([pin, line]) => {
      const value = visible(`${line.values.at(-1) ?? ''} ${line.unit}`)
      const alert = line.flashes > 0 ? colors.inverse(colors.red(` ${visible(line.alerts)} `)) : ''
      line.flashes = Math.max(0, line.flashes - 1)
      return `\x1b[2K${pin.padEnd(5)}${value.padStart(12)}  ${sparkline(line.values)} ${alert}\n`
    })
    const up = this.#drawn === 0 ? '' : `\x1b[${this.#drawn}A`
    this.#print(`${NO_WRAP}${up}${rows.join('')}${WRAP}`)
    this.#drawn = rows.length
  }
}

/** Values as bars, from the lowest to the highest of them. */
export function sparkline(values: readonly number[]): string {
  const [lowest, highest] = [Math.min(...values), Math.max(...values)]
  const step = (highest - lowest) / (BARS.length - 1)
  return values.map((value) => BARS[step === 0 ? 0 : Math.round((value - lowest) / step)]).join('')
}
