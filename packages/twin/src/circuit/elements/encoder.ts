import { decimal, integer } from '@slotwire/contract'
import type { OptionsOf } from '../../settings/kind.ts'
import { inOhms, inVolts } from '../../settings/quantities.ts'
import { type Source, Steady } from '../branch.ts'
import { alternate } from '../wave/alternation.ts'
import { defineElement, IDEAL_OHMS } from './element.ts'

const MS_PER_MINUTE = 60_000
/** Its second output is a quarter of a line behind the first while it turns forwards. */
const QUARTER = 0.25
const HALF = 0.5

const fields = {
  rpm: decimal({
    description: 'its speed in turns per minute; negative: backwards',
    min: -100_000,
    max: 100_000,
    examples: [300],
  }),
  turns: decimal({ description: 'its position in turns', min: -1e9, max: 1e9 }),
  lines: integer({ min: 1, max: 10_000, description: 'periods of each output in one turn' }),
  highVolts: inVolts('voltage of an output that is high', { min: 0.1, max: 40 }),
  ohms: inOhms('internal resistance of each output', { max: 1_000_000 }),
}

type EncoderValues = OptionsOf<typeof fields>

/** A quadrature encoder: its first output at the pin, its second at the other pin. Both are at rest while it stands still. */
export const encoder = defineElement({
  kind: 'encoder',
  summary: 'a quadrature encoder with position, speed and direction: its outputs at the pin and at the other pin',
  primary: 'rpm',
  between: 'outputs',
  fields,
  defaults: { turns: 0, lines: 100, highVolts: 5, ohms: 100 },
  description: ({ rpm, lines, highVolts }) => `encoder with ${lines} lines at ${rpm} rpm, 0/${highVolts} V`,
  // The moment at which it was at its position.
  kept: {
    first: () => 0,
    connected: (atMs) => atMs,
    changed: (_sinceMs, _change, atMs) => atMs,
    settingsAt: (sinceMs, values, atMs) => ({ turns: turnsAt(values, sinceMs, atMs) }),
  },
  branch: (values, sinceMs) => outputOf(values, sinceMs, 0),
  second: (values, sinceMs) => outputOf(values, sinceMs, QUARTER),
})

function turnsAt({ turns, rpm }: EncoderValues, sinceMs: number, atMs: number): number {
  return turns + (rpm * (atMs - sinceMs)) / MS_PER_MINUTE
}

/** Each output is high in the first half of a line; the second one a quarter later. */
function outputOf({ turns, rpm, lines, highVolts, ohms }: EncoderValues, sinceMs: number, lag: number): Source {
  const low = { volts: 0, ohms: Math.max(ohms, IDEAL_OHMS) }
  const high = { ...low, volts: highVolts }
  const position = turns * lines - lag
  const inLine = position - Math.floor(position)
  if (rpm === 0) return new Steady(inLine < HALF ? high : low)
  const periodMs = MS_PER_MINUTE / (Math.abs(rpm) * lines)
  // Backwards a high part begins at its end.
  const sinceHighMs = (rpm > 0 ? inLine : HALF - inLine) * periodMs
  return alternate({ startMs: sinceMs - sinceHighMs, periodMs, highMs: periodMs / 2 }, high, low)
}
