/** Lowest and highest voltage during the interval of one column. */
export interface ChartColumn {
  readonly lowVolts: number
  readonly highVolts: number
}

/** Intervals of a waveform that a chart of text joins to one column. */
const JOINED = 4
/** Width of the plot; with labels a chart fits into 76 characters. */
export const CHART_COLUMNS = 64
/** Intervals of a waveform. */
export const WAVEFORM_COLUMNS = JOINED * CHART_COLUMNS
const ROWS = 9
/** Margin above and below a constant voltage, in volts. */
const FLAT_MARGIN = 1
const LABEL_WIDTH = 7

/** Recent voltages of a pin. */
export interface PinWaveform {
  /** `slot/pin`, as in `3/1`. */
  readonly pin: string
  /** Twin time since the start. */
  readonly fromMs: number
  readonly toMs: number
  /** Of `WAVEFORM_COLUMNS` equal intervals. */
  readonly columns: readonly ChartColumn[]
}

/** Draws a waveform as text, with the voltages that a picture shows. */
export function chartOf(waveform: PinWaveform): string {
  const joined = Array.from({ length: CHART_COLUMNS }, (_, index) => {
    const part = waveform.columns.slice(index * JOINED, (index + 1) * JOINED)
    return {
      lowVolts: Math.min(...part.map(({ lowVolts }) => lowVolts)),
      highVolts: Math.max(...part.map(({ highVolts }) => highVolts)),
    }
  })
  return drawChart({ ...waveform, columns: joined })
}

/** Title of the waveform of a pin. */
export function titleOf(pin: string): string {
  return `pin ${pin}`
}

/** Draws voltages over time as text. Each column spans its lowest to highest voltage, so pulses of any length are visible. */
export function drawChart({ pin, fromMs, toMs, columns }: PinWaveform): string {
  const [bottom, top] = scale(columns)
  const rowOf = (volts: number): number => Math.round(((top - volts) / (top - bottom)) * (ROWS - 1))
  const rows = Array.from({ length: ROWS }, (_, row) => {
    const label = row % ((ROWS - 1) / 2) === 0 ? voltsLabel(top - (row / (ROWS - 1)) * (top - bottom)) : ''
    const line = columns.map(({ lowVolts, highVolts }) => cell(row, rowOf(highVolts), rowOf(lowVolts))).join('')
    return `${label.padStart(LABEL_WIDTH)} ${label === '' ? '│' : '┤'}${line}`.trimEnd()
  })
  const [from, to] = [timeLabel(fromMs), timeLabel(toMs)]
  const axis = `${' '.repeat(LABEL_WIDTH)} └${'─'.repeat(columns.length)}`
  const times = `${' '.repeat(LABEL_WIDTH + 2)}${from}${to.padStart(Math.max(columns.length - from.length, to.length + 1))}`
  return [`${titleOf(pin)}, in volts`, ...rows, axis, times].join('\n')
}

function cell(row: number, highest: number, lowest: number): string {
  if (row < highest || row > lowest) return ' '
  return highest === lowest ? '─' : '│'
}

/** Voltages at the bottom and the top of a chart. */
export function scale(columns: readonly ChartColumn[]): readonly [bottom: number, top: number] {
  const bottom = Math.min(...columns.map(({ lowVolts }) => lowVolts))
  const top = Math.max(...columns.map(({ highVolts }) => highVolts))
  return top - bottom < FLAT_MARGIN / 100 ? [bottom - FLAT_MARGIN, top + FLAT_MARGIN] : [bottom, top]
}

/** A voltage for people: `4.90`. */
export function voltsLabel(volts: number): string {
  const digits = Math.abs(volts) >= 100 ? 1 : 2
  return volts.toFixed(digits).replace(/^-(0\.?0*)$/, '$1')
}

const MS_PER_SECOND = 1000

/** A time for people: `1.9 s`. */
export function timeLabel(ms: number): string {
  return `${Number((ms / MS_PER_SECOND).toFixed(6))} s`
}
