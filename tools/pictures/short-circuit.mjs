// The picture of the README: what a virtual io module does in the 40 ms around a short circuit.
import { createTwin, ManualClock, sineWave } from 'slotwire/twin'

const SLOT = '/api/io/1.0/3'
const LASTS_MS = 40
const SHORT_AT_MS = 8
/** A power of two: sums are exact. */
const STEP_MS = 0.125
const STEPS = LASTS_MS / STEP_MS

/** Sizes and places, in pixels. */
const WIDTH = 860
const LEFT = 190
const RIGHT = 24
const TOP = 64
const LANE = 58
const GAP = 22
const BOTTOM = 34

const STYLE = `
  text { font: 13px system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif; fill: #57606a }
  .name { fill: #1f2328; font-weight: 600 }
  .unit { font-size: 11px }
  .event { font-size: 12px; font-weight: 600; fill: #cf222e }
  .marker { stroke: #cf222e; stroke-dasharray: 4 3 }
  .grid { stroke: #d8dee4 }
  .lane path { stroke-width: 1.8; stroke-linejoin: round; fill-opacity: .12 }`

/** @typedef {readonly [low: number, high: number]} Range of a value within a step */
/** @typedef {{ title: string, unit: string, max: number, color: string, values: readonly Range[] }} Lane */

/** Draws the short circuit as SVG. Every run returns the same text, because the twin's time is simulated. */
export async function drawShortCircuit() {
  const { lanes, offAtMs, alertAtMs } = await record()
  const height = TOP + lanes.length * (LANE + GAP) + BOTTOM
  const bottom = height - BOTTOM
  const events = [
    { atMs: SHORT_AT_MS, text: 'pin 1 shorted to ground', anchor: 'end' },
    { atMs: offAtMs, text: 'the module switches pin 1 off', anchor: 'start' },
    { atMs: alertAtMs, text: 'alert readable over HTTP', anchor: 'start' },
  ]
  const times = Array.from({ length: LASTS_MS / 10 + 1 }, (_, index) => index * 10)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
<title>Four measurements over ${LASTS_MS} ms around a short circuit</title>
<style>${STYLE}
</style>
<rect width="${WIDTH}" height="${height}" rx="8" fill="#fff"/>
${times
  .map(
    (ms) => `<path class="grid" d="M${x(ms)} ${TOP - 8}V${bottom}"/>
<text class="unit" x="${x(ms)}" y="${bottom + 18}" text-anchor="middle">${ms} ms</text>`,
  )
  .join('\n')}
${lanes.map(drawLane).join('\n')}
${events
  .map(
    ({ atMs, text, anchor }) => `<path class="marker" d="M${x(atMs)} ${TOP - 22}V${bottom}"/>
<text class="event" x="${x(atMs) + (anchor === 'end' ? -6 : 6)}" y="${TOP - 26}" text-anchor="${anchor}">${text}</text>`,
  )
  .join('\n')}
</svg>
`
}

/** Drives pins 1 and 2, connects a sensor to pin 3, shorts pin 1 and measures. */
async function record() {
  const clock = new ManualClock()
  const twin = await createTwin({ clock })
  await twin.start()
  /** @param {string} path @param {unknown} body */
  const post = (path, body) => twin.request({ method: 'POST', path: `${SLOT}/${path}`, body })
  await post('power-management', { config: Array(6).fill({ rail: '5_volt', current_milliampere: 100 }) })
  await post('output/state', { pin: 1, state: 'high' })
  // 48 MHz / 480 / 200 = 500 Hz, high for a quarter of each period.
  await post('output/pwm', { pin: 2, prescaler: 479, time_on: 50, period: 200 })
  twin.bench.pin(3, 3).connect(sineWave(60, { lowVolts: 0.5, highVolts: 4.5 }))
  await clock.advance(1000)

  const startMs = clock.now()
  const traces = [1, 2, 3].map((pin) => twin.bench.pin(3, pin).record())
  const shorted = twin.bench.pin(3, 1)
  const ampere = []
  let offAtMs = 0
  let alertAtMs = 0
  for (let step = 0; step < STEPS; step++) {
    if (step * STEP_MS === SHORT_AT_MS) shorted.short()
    await clock.advance(STEP_MS)
    const endMs = (step + 1) * STEP_MS
    ampere.push(shorted.amps)
    if (endMs > SHORT_AT_MS && offAtMs === 0 && shorted.amps === 0) offAtMs = endMs
    const { body } = await twin.request({ method: 'GET', path: `${SLOT}/notification/1` })
    if (alertAtMs === 0 && JSON.stringify(body).includes('"high_current_alert":true')) alertAtMs = endMs
  }
  const [output = [], pwm = [], sensor = []] = traces.map((trace) =>
    trace
      .samples(startMs, startMs + LASTS_MS, STEPS)
      .map(({ lowVolts, highVolts }) => /** @type {Range} */ ([lowVolts, highVolts])),
  )
  await twin.close()
  /** @type {readonly Lane[]} */
  const lanes = [
    { title: 'Pin 1: output, 5 V', unit: 'V', max: 6, color: '#0969da', values: output },
    {
      title: 'Pin 1: current',
      unit: 'A',
      max: 2,
      color: '#cf222e',
      values: ampere.map((value) => /** @type {Range} */ ([value, value])),
    },
    { title: 'Pin 2: PWM, 500 Hz', unit: 'V', max: 6, color: '#1a7f37', values: pwm },
    { title: 'Pin 3: sensor, 60 Hz', unit: 'V', max: 6, color: '#8250df', values: sensor },
  ]
  return { lanes, offAtMs, alertAtMs }
}

/** @param {number} ms */
const x = (ms) => round(LEFT + (ms / LASTS_MS) * (WIDTH - LEFT - RIGHT))
/** @param {number} value */
const round = (value) => Math.round(value * 10) / 10

/** @param {Lane} lane @param {number} index */
function drawLane({ title, unit, max, color, values }, index) {
  const base = TOP + index * (LANE + GAP) + LANE
  /** @param {number} value */
  const y = (value) => round(base - (value / max) * LANE)
  const highs = line(values.map(([, high]) => y(high)))
  const lows = line(values.map(([low]) => y(low)))
  return `<g class="lane">
<text class="name" x="20" y="${base - LANE / 2 + 4}">${title}</text>
<text class="unit" x="${LEFT - 8}" y="${base - LANE + 9}" text-anchor="end">${max} ${unit}</text>
<text class="unit" x="${LEFT - 8}" y="${base + 4}" text-anchor="end">0</text>
<path class="grid" d="M${LEFT} ${base}H${WIDTH - RIGHT}"/>
<path fill="${color}" d="M${LEFT} ${base}L${highs.join('L')}V${base}Z"/>
<path fill="none" stroke="${color}" d="M${highs.join('L')}L${lows.reverse().join('L')}"/>
</g>`
}

/**
 * Points of a line through one height per step, without those inside a level stretch.
 * @param {readonly number[]} heights
 */
function line(heights) {
  const points = heights.map((height, step) => `${x((step + 0.5) * STEP_MS)} ${height}`)
  return points.filter((_, step) => heights[step] !== heights[step - 1] || heights[step] !== heights[step + 1])
}
