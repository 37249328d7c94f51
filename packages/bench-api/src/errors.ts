import { defineErrors } from '@slotwire/core'

/** What the bench of a virtual device refuses, beside what every endpoint can. */
export const benchErrors = defineErrors(
  {
    refused: { status: 400, message: '{reason}' },
    slotEmpty: { status: 400, message: 'slot {slot} is empty: POST /slotwire/bench/slot/{slot}/plug first' },
    slotTaken: { status: 400, message: 'slot {slot} holds an {module} module: POST /slotwire/bench/slot/{slot}/unplug first' },
    moduleNotUp: {
      status: 400,
      message: 'the module in slot {slot} is not up: try again when the API lists it',
      retryable: true,
    },
    timeRuns: {
      status: 400,
      message: 'time goes by itself: POST /slotwire/bench/time/pause first, and do not resume it during a step',
    },
    scenarioRuns: {
      status: 400,
      message: 'a scenario runs already: wait for its end, or POST /slotwire/bench/scenario/stop first',
      retryable: true,
    },
    noScenarioRuns: { status: 400, message: 'no scenario runs: GET /slotwire/bench/scenario tells how the last one ended' },
    noSuchConnection: {
      status: 404,
      message: 'connection {number} is not there: GET /slotwire/bench/wiring lists the usable ones',
    },
    noSuchFault: { status: 404, message: 'fault {number} is not there: GET /slotwire/bench/faults lists the usable ones' },
    notFactoryReset: {
      status: 500,
      message: 'the module in slot {slot} did not take the factory reset: {reason}',
      retryable: true,
    },
  },
  'bench-',
)
