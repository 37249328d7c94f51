import { boolean, integer, text } from '@slotwire/contract'
import { shown } from '@slotwire/core'
import { inOhms } from '../../settings/quantities.ts'
import { Recording, type Sample } from '../wave/recording.ts'
import { defineElement, IDEAL_OHMS } from './element.ts'

const MAX_CHARACTERS = 100_000
const MAX_SAMPLES = 10_000
const MAX_VOLTS = 1000
const MAX_SECONDS = 1e6
const MS_PER_SECOND = 1000

/** A recorded waveform from a CSV file. It begins when it is connected. Two lines of one time are a jump. */
export const recordedWave = defineElement({
  kind: 'recordedWave',
  summary: 'a recorded waveform from a CSV file, with lines between its samples',
  between: 'source',
  fields: {
    csv: text({
      max: MAX_CHARACTERS,
      examples: ['seconds,volts\n0,0\n0.5,5\n1,0\n'],
      description:
        'text of a CSV file: in each line the time in seconds, then one or more voltages; the first line may have names',
    }),
    column: integer({ min: 1, max: 100, description: 'which voltage of a line' }),
    repeat: boolean({ description: 'whether it begins again at its end, instead of keeping its last voltage' }),
    ohms: inOhms('its internal resistance'),
  },
  defaults: { column: 1, repeat: true, ohms: 0 },
  kept: { first: () => 0, connected: (atMs) => atMs, changed: (startMs) => startMs },
  description: ({ csv, column, ohms }) => {
    const samples = samplesOf(csv, column)
    return `recorded wave of ${samples.length} samples in ${(samples.at(-1)?.ms ?? 0) / MS_PER_SECOND} s behind ${ohms} Ω`
  },
  branch: ({ csv, column, repeat, ohms }, startMs) =>
    new Recording({ samples: samplesOf(csv, column), startMs, repeated: repeat, ohms: Math.max(ohms, IDEAL_OHMS) }),
})

/** The samples of a column, from 0 ms on. Throws `RangeError` that names the invalid line. */
function samplesOf(csv: string, column: number): readonly Sample[] {
  const lines = csv.split(/\r?\n/).map((line, index) => ({ line, number: index + 1 }))
  const written = lines.filter(({ line }) => line.trim() !== '' && !line.startsWith('#'))
  const first = written[0]?.line ?? ''
  const data = /^[\s"]*[A-Za-z]/.test(first) ? written.slice(1) : written
  if (data.length < 2 || data.length > MAX_SAMPLES)
    throw new RangeError(`csv has ${data.length} samples: 2…${MAX_SAMPLES}, one in each line, as in 0.5,3.3`)
  const samples: Sample[] = []
  let startMs: number | undefined
  for (const { line, number } of data) {
    const cells = line.split(/[,;\t]/).map((cell) => Number(cell.trim() === '' ? Number.NaN : cell))
    const [seconds = Number.NaN, volts = Number.NaN] = [cells[0], cells[column]]
    if (!(Math.abs(seconds) <= MAX_SECONDS && Math.abs(volts) <= MAX_VOLTS))
      throw new RangeError(
        `csv has ${shown(line)} in line ${number}: write a time, at most ${MAX_SECONDS} s, and in column ${column} a voltage, -${MAX_VOLTS}…${MAX_VOLTS} V, as in 0.5,3.3`,
      )
    startMs ??= seconds * MS_PER_SECOND
    const ms = seconds * MS_PER_SECOND - startMs
    if (ms < (samples.at(-1)?.ms ?? 0)) throw new RangeError(`csv goes back in time in line ${number}: sort its lines by time`)
    samples.push({ ms, volts })
  }
  if (samples.at(-1)?.ms === 0) throw new RangeError('csv has no length: give its samples different times')
  return samples
}
