import { visible } from '@slotwire/core'
import type { Failure } from '../run/result.ts'
import { scale, timeLabel, titleOf, voltsLabel } from './chart.ts'
import { drawLanes } from './draw-lanes.ts'
import { failureLines } from './format-report.ts'

/** Longest line of text in a picture, in characters. */
const MAX_LINE = 115
const COLORS = ['#0969da', '#1a7f37', '#8250df']

/** A failure as SVG: its text, and the waveforms of the pins concerned. Undefined if it has no waveform. */
export function drawFailure(failure: Failure): string | undefined {
  const { waveforms, file, line } = failure
  const [first] = waveforms
  if (first === undefined) return undefined
  const { fromMs, toMs } = first
  const lanes = waveforms.map(({ pin, columns }, index) => {
    const [low, high] = scale(columns)
    return {
      title: titleOf(pin),
      lowLabel: `${voltsLabel(low)} V`,
      middleLabel: `${voltsLabel((low + high) / 2)} V`,
      highLabel: `${voltsLabel(high)} V`,
      low,
      high,
      color: COLORS[index % COLORS.length] ?? '',
      values: columns.map(({ lowVolts, highVolts }) => [lowVolts, highVolts] as const),
    }
  })
  return drawLanes({
    title: `${visible(file)}:${line}: ${waveforms.map(({ pin }) => titleOf(pin)).join(', ')}`,
    fromMs,
    toMs,
    notes: failureLines(failure).map((text) => (text.length > MAX_LINE ? `${text.slice(0, MAX_LINE - 1)}…` : text)),
    lanes,
    times: [
      { atMs: fromMs, text: timeLabel(fromMs), anchor: 'start' },
      { atMs: toMs, text: timeLabel(toMs), anchor: 'end' },
    ],
  })
}
