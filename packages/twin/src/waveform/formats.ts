import type { PinSignals } from './signals.ts'

/** A pin by its numbers. */
export interface TracedPin {
  readonly slot: number
  readonly pin: number
}

/** A format of waveform files as text: the same signals, named by slot and pin, as in `slot3.pin1` and `slot3.pin1_volts`. */
export interface WaveformFormat {
  readonly header: (pins: readonly TracedPin[]) => string
  /** `isFirst`: the values at the beginning. */
  readonly row: (atNs: number, signals: readonly PinSignals[], isFirst: boolean) => string
  /** The end of the file: all values hold until then. */
  readonly end: (atNs: number, signals: readonly PinSignals[]) => string
}

/** A value change dump (IEEE 1364-2005, 18.2), in nanoseconds: a real for the voltage, a wire for the level. */
const vcd: WaveformFormat = {
  header: (pins) => {
    const slots = [...new Set(pins.map(({ slot }) => slot))]
    const variables = (slot: number): readonly string[] =>
      pins.flatMap((place, index) =>
        place.slot === slot
          ? [
              `$var wire 1 ${codeOf(2 * index)} pin${place.pin} $end`,
              `$var real 64 ${codeOf(2 * index + 1)} pin${place.pin}_volts $end`,
            ]
          : [],
      )
    const scopes = slots.flatMap((slot) => [`$scope module slot${slot} $end`, ...variables(slot), '$upscope $end'])
    return ['$timescale 1 ns $end', ...scopes, '$enddefinitions $end', ''].join('\n')
  },
  row: (atNs, signals, isFirst) => {
    const lines = [`#${atNs}`, ...(isFirst ? ['$dumpvars'] : [])]
    signals.forEach(({ isHigh, volts, hasNewLevel, hasNewVolts }, index) => {
      if (isFirst || hasNewLevel) lines.push(`${isHigh ? 1 : 0}${codeOf(2 * index)}`)
      if (isFirst || hasNewVolts) lines.push(`r${volts} ${codeOf(2 * index + 1)}`)
    })
    return `${lines.join('\n')}\n${isFirst ? '$end\n' : ''}`
  },
  end: (atNs) => `#${atNs}\n`,
}

/** Identifier codes are the printable characters of ASCII. */
const FIRST_CODE = 33
const CODES = 94

function codeOf(index: number): string {
  const rest = Math.floor(index / CODES)
  return `${rest === 0 ? '' : codeOf(rest - 1)}${String.fromCharCode(FIRST_CODE + (index % CODES))}`
}

/** Comma-separated values: a row for each moment with a change, with all values from then on. */
const csv: WaveformFormat = {
  header: (pins) => {
    const names = pins.map(({ slot, pin }) => `slot${slot}.pin${pin}`)
    return `${['seconds', ...names.flatMap((name) => [name, `${name}_volts`])].join(',')}\n`
  },
  row: csvRow,
  end: csvRow,
}

const NANOSECOND_DIGITS = 9

function csvRow(atNs: number, signals: readonly PinSignals[]): string {
  const digits = String(Math.abs(atNs)).padStart(NANOSECOND_DIGITS + 1, '0')
  const seconds = `${atNs < 0 ? '-' : ''}${digits.slice(0, -NANOSECOND_DIGITS)}.${digits.slice(-NANOSECOND_DIGITS)}`
  let row = seconds
  for (const { isHigh, volts } of signals) row += `,${isHigh ? 1 : 0},${volts}`
  return `${row}\n`
}

/** Formats by the suffix of their files. */
export const waveformFormats = { vcd, csv } as const satisfies Readonly<Record<string, WaveformFormat>>
export type WaveformFormatName = keyof typeof waveformFormats
