import { decimal, type ExtensionEndpoints, literal, named, objectOf } from '@slotwire/contract'
import { coreErrors, MAX_PACE } from '@slotwire/core'
import { extensionHandlers } from '@slotwire/service'
import { benchErrors, benchWrite, BENCH_ROOT as ROOT } from '@slotwire/twin'
import { type BenchTime, benchRead, rounded, success } from './bench-endpoint.ts'

/** Longest step, in ms: its request waits until the step has ended. */
const MAX_STEP_MS = 600_000
/** Pace of real time. */
const REAL_TIME = 1

const nowMs = decimal({ unit: 'ms', description: 'twin time' })

/** Time of the device in replies. */
export const timeSchema = named(
  'Time',
  objectOf({
    now_ms: nowMs,
    pace: decimal({ min: 0, max: MAX_PACE, description: 'multiple of real time; 0 while paused' }),
  }),
)

export const timeEndpoints = {
  getTime: { ...benchRead, path: `${ROOT}/time`, reply: timeSchema, summary: 'Shows twin time and pace' },
  setPace: {
    ...benchWrite,
    path: `${ROOT}/time/pace`,
    body: objectOf(
      { pace: decimal({ min: 0, max: MAX_PACE, description: 'multiple of real time; 0 pauses' }) },
      { rules: { 'x-alone': 'pace' } },
    ),
    summary: 'Sets the pace of twin time',
    example: { pace: 10 },
  },
  pause: {
    ...benchWrite,
    path: `${ROOT}/time/pause`,
    summary: 'Pauses twin time',
    description:
      'Requests that need no twin time are still answered: on the instant bus nearly all of them. Other requests wait until time resumes, at most 30 s of real time: then they get 503.',
  },
  resume: { ...benchWrite, path: `${ROOT}/time/resume`, summary: 'Resumes twin time at its former pace' },
  step: {
    ...benchWrite,
    path: `${ROOT}/time/step`,
    body: objectOf(
      { ms: decimal({ min: 0, max: MAX_STEP_MS, unit: 'ms', range: '0 ms to 10 min', description: 'twin time' }) },
      { rules: { 'x-alone': 'ms' } },
    ),
    reply: objectOf({ status: literal('success'), now_ms: nowMs }),
    errors: [benchErrors.timeRuns],
    summary: 'Advances paused time, and answers when everything due until then has happened',
    example: { ms: 100 },
  },
} as const satisfies ExtensionEndpoints

/** Handlers for the time of a device, and a function that ends a pause made by them. */
export function timeControl(time: BenchTime) {
  let resumePace = REAL_TIME
  let isSlowedDown = false
  let isClosing = false
  const setPace = (pace: number) => {
    if (time.pace > 0) resumePace = time.pace
    // Setting the pace interrupts a running step, so do not repeat a pause.
    if (time.pace !== pace) time.pace = pace
    isSlowedDown = pace < REAL_TIME
    return success
  }
  const handlers = extensionHandlers(timeEndpoints, {
    getTime: () => shownTime(time),
    setPace: ({ body }) => setPace(body.pace),
    pause: () => setPace(0),
    resume: () => (time.pace > 0 ? success : setPace(resumePace)),
    step: async ({ body: { ms } }) => {
      if (time.pace > 0) throw benchErrors.timeRuns()
      const targetMs = time.now() + ms
      await time.step(ms)
      if (time.now() < targetMs) throw isClosing ? coreErrors.stopping() : benchErrors.timeRuns()
      return { ...success, now_ms: rounded(time.now()) }
    },
  })
  /** Sets the pace to at least real time, if these handlers slowed it down. */
  const release = (): void => {
    isClosing = true
    if (isSlowedDown && time.pace < REAL_TIME) time.pace = REAL_TIME
  }
  return { handlers, release }
}

export function shownTime(time: BenchTime) {
  return { now_ms: rounded(time.now()), pace: time.pace }
}
