import { decimal, type ExtensionEndpoints, objectOf } from '@slotwire/contract'
import { coreErrors, FASTEST_PACE } from '@slotwire/core'
import { type CheckedExtensionHandlers, extensionHandlers } from '@slotwire/service'
import { does, looks, ROOT, success } from './bench-endpoint.ts'
import type { BenchTime } from './bench-time.ts'
import { benchErrors } from './errors.ts'
import { rounded } from './figures.ts'
import { doneSchema } from './replies.ts'

/** Longest step, in ms: its request waits until all of it has happened. */
const LONGEST_STEP_MS = 600_000
/** As fast as real time. */
const REAL_TIME = 1

const nowMs = decimal({ unit: 'ms', description: 'twin time' })

/** The time of the device as the bench shows it. */
export const timeSchema = objectOf({
  now_ms: nowMs,
  pace: decimal({ min: 0, max: FASTEST_PACE, description: 'so many times as fast as real time; 0 while it stands' }),
})

export const timeEndpoints = {
  getTime: { ...looks, path: `${ROOT}/time`, reply: timeSchema, summary: 'Tells the time of the device, and how fast it goes' },
  setPace: {
    ...does,
    path: `${ROOT}/time/pace`,
    body: objectOf({
      pace: decimal({ min: 0, max: FASTEST_PACE, description: 'so many times as fast as real time; 0 stops it' }),
    }),
    summary: 'Sets how fast time goes',
    example: { pace: 10 },
  },
  pause: {
    ...does,
    path: `${ROOT}/time/pause`,
    summary: 'Stops time',
    description:
      'What needs no time is still answered: on the instant bus nearly everything. What waits, waits until time goes on.',
  },
  resume: { ...does, path: `${ROOT}/time/resume`, summary: 'Lets time go on as fast as before' },
  step: {
    ...does,
    path: `${ROOT}/time/step`,
    body: objectOf({ ms: decimal({ min: 0, max: LONGEST_STEP_MS, unit: 'ms' }) }),
    reply: doneSchema({ now_ms: nowMs }),
    errors: [benchErrors.timeRuns],
    summary: 'Moves time that stands on, and answers when all that is due until then has happened',
    example: { ms: 100 },
  },
} as const satisfies ExtensionEndpoints

/** Handlers for the time of a device, and what ends a standstill that somebody has asked them for. */
export interface TimeControl {
  readonly handlers: CheckedExtensionHandlers
  /** Lets time go at least as fast as real time, if it was slowed down here. */
  readonly letGo: () => void
}

export function timeControl(time: BenchTime): TimeControl {
  let goesOnAt = REAL_TIME
  let isSlowedDown = false
  let isClosing = false
  const setPace = (pace: number) => {
    if (time.pace > 0) goesOnAt = time.pace
    // Setting the pace ends a step that is under way: pausing once more is no reason to.
    if (time.pace !== pace) time.pace = pace
    isSlowedDown = pace < REAL_TIME
    return success
  }
  const handlers = extensionHandlers(timeEndpoints, {
    getTime: () => shownTime(time),
    setPace: ({ body }) => setPace(body.pace),
    pause: () => setPace(0),
    resume: () => (time.pace > 0 ? success : setPace(goesOnAt)),
    step: async ({ body: { ms } }) => {
      if (time.pace > 0) throw benchErrors.timeRuns()
      const targetMs = time.now() + ms
      await time.step(ms)
      if (time.now() < targetMs) throw isClosing ? coreErrors.stopping() : benchErrors.timeRuns()
      return { ...success, now_ms: rounded(time.now()) }
    },
  })
  const letGo = (): void => {
    isClosing = true
    if (isSlowedDown && time.pace < REAL_TIME) time.pace = REAL_TIME
  }
  return { handlers, letGo }
}

export function shownTime(time: BenchTime) {
  return { now_ms: rounded(time.now()), pace: time.pace }
}
