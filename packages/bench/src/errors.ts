import { defineErrors } from '@slotwire/core'

/** What the bench of a virtual device refuses, beside what every endpoint can. */
export const benchErrors = defineErrors({
  refused: { code: 'bench-refused', status: 400, message: '{reason}', retryable: false },
  slotEmpty: {
    code: 'bench-slot-empty',
    status: 400,
    message: 'slot {slot} is empty: POST /slotwire/bench/slot/{slot}/plug first',
    retryable: false,
  },
  slotTaken: {
    code: 'bench-slot-taken',
    status: 400,
    message: 'slot {slot} holds an {module} module: POST /slotwire/bench/slot/{slot}/unplug first',
    retryable: false,
  },
  moduleNotUp: {
    code: 'bench-module-not-up',
    status: 400,
    message: 'the module in slot {slot} is not up: try again when the API lists it',
    retryable: true,
  },
  timeRuns: {
    code: 'bench-time-runs',
    status: 400,
    message: 'time goes by itself: POST /slotwire/bench/time/pause first, and do not resume it during a step',
    retryable: false,
  },
  scenarioRuns: {
    code: 'bench-scenario-runs',
    status: 400,
    message: 'a scenario runs already: wait for its end, or POST /slotwire/bench/scenario/stop first',
    retryable: true,
  },
  noScenarioRuns: {
    code: 'bench-no-scenario-runs',
    status: 400,
    message: 'no scenario runs: GET /slotwire/bench/scenario tells how the last one ended',
    retryable: false,
  },
  noSuchConnection: {
    code: 'bench-no-such-connection',
    status: 404,
    message: 'connection {number} is not there: GET /slotwire/bench/wiring lists those there are',
    retryable: false,
  },
  noSuchFault: {
    code: 'bench-no-such-fault',
    status: 404,
    message: 'fault {number} is not there: GET /slotwire/bench/faults lists those there are',
    retryable: false,
  },
  notFactoryReset: {
    code: 'bench-not-factory-reset',
    status: 500,
    message: 'the module in slot {slot} did not take the factory reset: {reason}',
    retryable: true,
  },
})
