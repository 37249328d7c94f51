import { defineErrors } from '@slotwire/core'

/** What can go wrong between the driver and a power manager on a socket: nothing is configured then, or the module is suspended. */
export const powerManagerErrors = defineErrors({
  powerManagerUnreachable: {
    status: 500,
    message:
      'the power manager at {socket} cannot be reached ({reason}): start it, and check that this user may use its socket; a socket that nobody needs is to be removed',
    retryable: true,
  },
  powerManagerHung: {
    status: 500,
    message: 'the power manager at {socket} did not answer {asked} ({reason}): look whether it hangs, and restart it',
    retryable: true,
  },
  powerManagerClosed: {
    status: 500,
    message: 'the power manager at {socket} closed the connection instead of answering {asked} ({reason}): its log says why',
    retryable: true,
  },
  powerManagerAnswerInvalid: {
    status: 500,
    message:
      'what the power manager at {socket} answered to {asked} makes no sense ({reason}): check that a power manager of protocol 1.x listens there',
    retryable: true,
  },
  powerFigureTooLarge: {
    status: 500,
    message: 'the need of slot {slot} cannot be told to the power manager ({reason}): look at the figures of its descriptor',
  },
  powerManagerRefused: {
    status: 503,
    message: 'the power manager at {socket} did not decide about the request: {reason}',
    retryable: true,
  },
  powerManagerNotConfirmed: {
    status: 503,
    message: 'the power manager at {socket} did not note that what it granted is used: {reason}',
    retryable: true,
  },
  powerServiceNotUsable: {
    status: 500,
    message:
      'the power service at {url} does not tell what the supply gives ({reason}), so nobody knows whether the power suffices: start it, or name another with slotwire power-manager --power-service',
    retryable: true,
  },
})
