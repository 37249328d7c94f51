// The picture of the README: what a virtual io module does in the 40 ms around a short circuit.

import { ManualClock } from '@slotwire/core'
import { createTwin } from '@slotwire/device/twin'
import { drawLanes } from '@slotwire/scenario'
import { sineWave } from '@slotwire/twin'

const SLOT = '/api/io/1.0/3'
const LASTS_MS = 40
const SHORT_AT_MS = 8
/** A power of two: sums are exact. */
const STEP_MS = 0.125
const STEPS = LASTS_MS / STEP_MS

/** @typedef {readonly [low: number, high: number]} Range of a value within a step */
/** Draws the short circuit as SVG. Every run returns the same text, because the twin's time is simulated. */
export async function drawShortCircuit() {
  const { lanes, offAtMs, alertAtMs } = await record()
  const title = `Four measurements over ${LASTS_MS} ms around a short circuit`
  const times = Array.from({ length: LASTS_MS / 10 + 1 }, (_, index) => ({ atMs: index * 10, text: `${index * 10} ms` }))
  /** @type {readonly import('@slotwire/scenario').Mark[]} */
  const events = [
    { atMs: SHORT_AT_MS, text: 'pin 1 shorted to ground', anchor: 'end' },
    { atMs: offAtMs, text: 'the module switches pin 1 off', anchor: 'start' },
    { atMs: alertAtMs, text: 'alert readable over HTTP', anchor: 'start' },
  ]
  return drawLanes({ title, fromMs: 0, toMs: LASTS_MS, lanes, times, events })
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
  const lanes = [
    lane('Pin 1: output, 5 V', 'V', 6, '#0969da', output),
    lane(
      'Pin 1: current',
      'A',
      2,
      '#cf222e',
      ampere.map((value) => [value, value]),
    ),
    lane('Pin 2: PWM, 500 Hz', 'V', 6, '#1a7f37', pwm),
    lane('Pin 3: sensor, 60 Hz', 'V', 6, '#8250df', sensor),
  ]
  return { lanes, offAtMs, alertAtMs }
}

/**
 * @param {string} title
 * @param {string} unit
 * @param {number} high
 * @param {string} color
 * @param {readonly Range[]} values
 */
function lane(title, unit, high, color, values) {
  return { title, lowLabel: '0', highLabel: `${high} ${unit}`, low: 0, high, color, values }
}
