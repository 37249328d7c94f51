import { defineErrors } from './errors.ts'

/**
 * The errors that endpoints of the contract name themselves; a part of `coreErrors`. Apart, so that a client in a browser does not load the
 * texts of all others.
 */
export const endpointErrors = defineErrors({
  serviceNotGranted: {
    status: 403,
    message: 'this access token is limited to {services}: use a token for this service',
  },
  invalidField: { status: 422, message: '{reason}', example: { reason: 'duration is out of range: 1…1000 ms, not 1500' } },
  descriptorNotRead: { status: 500, message: 'the descriptor of the module in slot {slot} could not be read', retryable: true },
  deviceRestarting: { status: 502, message: 'the device is restarting: try again in a few seconds', retryable: true },
  streamsTaken: {
    status: 503,
    message: 'all {limit} event streams are in use: close one, or try again later',
    retryable: true,
  },
  starting: { status: 503, message: 'the service is starting: the modules have not been checked yet', retryable: true },
  stopping: { status: 503, message: 'the service is stopping', retryable: true },
})
