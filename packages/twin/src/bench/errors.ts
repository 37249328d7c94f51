import { defineErrors } from '@slotwire/core'

/** Errors of the bench, over HTTP and in scenarios. */
export const benchErrors = defineErrors(
  {
    refused: { status: 400, message: '{reason}', example: { reason: 'pin 3/1 is wired to pin 5/6 already' } },
    slotEmpty: { status: 400, message: 'slot {slot} is empty: plug a module first' },
    slotTaken: { status: 400, message: 'slot {slot} holds {module} already: unplug it first' },
    moduleNotUp: {
      status: 400,
      message: 'the module in slot {slot} is not up: try again when the API lists it',
      retryable: true,
    },
    timeRuns: {
      status: 400,
      message: 'time is running: POST /slotwire/bench/time/pause first, and do not resume it during a step',
    },
    scenarioRuns: {
      status: 400,
      message: 'a scenario is already running: wait for its end, or POST /slotwire/bench/scenario/stop first',
      retryable: true,
    },
    noScenarioRuns: { status: 400, message: 'no scenario is running: GET /slotwire/bench/scenario shows how the last one ended' },
    noTrace: { status: 400, message: 'there is no trace: POST /slotwire/bench/trace/start first' },
    traceTooLong: {
      status: 400,
      message:
        'the voltages change at more than {moments} moments in {ms} ms: record for a shorter time, as in "for_ms": {suggested}',
      example: { moments: '10000', ms: '5000', suggested: '500' },
    },
    noSuchConnection: {
      status: 404,
      message: 'connection {name} does not exist: GET /slotwire/bench/wiring lists all connections',
      example: { name: 'c2' },
    },
    noSuchFault: {
      status: 404,
      message: 'fault {name} does not exist: GET /slotwire/bench/faults lists all faults',
      example: { name: 'f1' },
    },
    notFactoryReset: {
      status: 500,
      message: 'the module in slot {slot} failed its factory reset: {reason}',
      example: { reason: 'it sent an invalid response' },
      retryable: true,
    },
  },
  'bench-',
)
