import { defineErrors } from '@slotwire/core'

/** Errors between the driver and a power manager at a socket. The module is unchanged, or suspended if a grant was not confirmed. */
export const powerManagerErrors = defineErrors({
  powerManagerUnreachable: {
    status: 500,
    message:
      'the power manager at {socket} cannot be reached ({reason}): start it, and check that this user may use its socket; remove a socket that is not needed',
    retryable: true,
  },
  powerManagerHung: {
    status: 500,
    message: 'the power manager at {socket} did not answer {question} ({reason}): check whether it hangs, and restart it',
    retryable: true,
  },
  powerManagerClosed: {
    status: 500,
    message: 'the power manager at {socket} closed the connection instead of answering {question} ({reason}): its log says why',
    retryable: true,
  },
  powerManagerAnswerInvalid: {
    status: 500,
    message:
      'the power manager at {socket} sent an invalid answer to {question} ({reason}): check that a power manager of protocol 1.x listens there',
    retryable: true,
  },
  powerFigureTooLarge: {
    status: 500,
    message:
      'the power need of slot {slot} does not fit into a request to the power manager ({reason}): check the figures of its descriptor',
  },
  powerManagerRefused: {
    status: 503,
    message: 'the power manager at {socket} did not decide about the request: {reason}',
    retryable: true,
  },
  powerManagerNotConfirmed: {
    status: 503,
    message: 'the power manager at {socket} did not record that its grant is used: {reason}',
    retryable: true,
  },
  powerServiceNotUsable: {
    status: 500,
    message:
      'cannot read the limits of the supply from the power service at {url} ({reason}), so the power budget is unknown: start that service, or name another with slotwire power-manager --power-service',
    retryable: true,
  },
})
