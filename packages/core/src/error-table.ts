import { defineErrors, endpointErrors } from './errors.ts'

const others = defineErrors({
  malformedRequest: {
    status: 400,
    message: 'the HTTP request is malformed: {reason}',
    example: { reason: 'there is more than one Host header' },
  },
  versionNotSupported: { status: 400, message: 'API version {version} is not supported: use {supported}' },
  bodyNotJson: {
    status: 400,
    message: 'the body is not JSON ({reason}): send one JSON object, in UTF-8',
    example: { reason: 'it is empty' },
  },
  commandRefused: {
    status: 400,
    message: 'the module refused {command}: {reason}',
    example: { command: 'SET_MODE', reason: 'it is not possible in the present state' },
  },
  credentialsRequired: {
    status: 401,
    message:
      'the credentials are missing or wrong: send an access token as Bearer, or as password of HTTP Basic with the user name token',
  },
  readOnly: { status: 403, message: 'this access is read-only: use an access token that may write' },
  authRequestUnclear: {
    status: 403,
    message:
      'the proxy must name the original request: X-Original-URI and X-Original-Method, or X-Forwarded-Uri and X-Forwarded-Method',
  },
  deviceOnly: { status: 403, message: 'this path is only for programs on the device itself' },
  hostNotLoopback: {
    status: 403,
    message:
      'the Host of the request must be localhost, 127.0.0.1 or [::1]: other names are for the network door, see slotwire serve --listen',
  },
  crossSite: {
    status: 403,
    message:
      'a page of another site caused the request (Origin, Sec-Fetch-Site): type the address, or use a page of this server or a program, or list the origin in the setting doors.cors-origins',
  },
  notFound: { status: 404, message: 'Not Found' },
  slotNotUsable: {
    status: 404,
    message: 'slot {slot} holds no usable {service} module: GET /api/{service}/ lists the usable ones',
    retryable: true,
  },
  moduleNotAnswering: {
    status: 404,
    message:
      'the module in slot {slot} has not answered for {seconds} s and is not usable: wait until it answers, or unplug it and plug it in again',
    retryable: true,
    example: { seconds: '12' },
  },
  noSuchItem: { status: 404, message: '{field} {value} does not exist: {bounds}' },
  methodNotAllowed: { status: 405, message: '{method} is not allowed here: use {allowed}' },
  requestTimeout: {
    status: 408,
    message: 'the request did not arrive in time: send {part} within {seconds} seconds',
    retryable: true,
  },
  requestOvertaken: {
    status: 409,
    message:
      'the module in slot {slot} was reset while the request waited, and the request was not sent: initialize the module first',
  },
  bodyTooLarge: { status: 413, message: 'the body is too large: at most {limit} bytes', example: { limit: '65536' } },
  contentTypeNotJson: { status: 415, message: 'the content type is not supported: send Content-Type: application/json' },
  contentEncodingNotSupported: {
    status: 415,
    message: 'the content encoding is not supported: send the body as it is, without Content-Encoding',
  },
  sessionChanged: {
    status: 412,
    message:
      'the module in slot {slot} has another session than you named, nothing was done: initialize it again and send its new device_session in If-Match',
  },
  leased: {
    status: 423,
    message: 'slot {slot} is leased to {holder} for {seconds} s: send the secret of the lease in Slotwire-Lease, or wait',
    retryable: true,
    example: { holder: 'line 3 (token plc)' },
  },
  leaseExpired: {
    status: 423,
    message:
      'the secret is of no lease in force, nothing was done: check the modules, and get a new lease with POST /slotwire/leases',
  },
  tooManyFailedLogins: {
    status: 429,
    message: 'too many failed logins from this address: try again in {seconds} s',
    retryable: true,
  },
  headersTooLarge: {
    status: 431,
    message: 'the headers are too large: at most {limit} bytes in all',
    example: { limit: '16384' },
  },
  moduleFailed: {
    status: 500,
    message: 'the module in slot {slot} did not answer {command} (attempts: {attempts})',
    retryable: true,
  },
  moduleAnswerInvalid: {
    status: 500,
    message: 'the module in slot {slot} sent an invalid response to {command}',
    retryable: true,
  },
  moduleHung: {
    status: 500,
    message: 'the module in slot {slot} does not answer any more: {outcome}',
    example: { outcome: 'the request may have been executed' },
    retryable: true,
  },
  moduleLost: { status: 404, message: 'the module in slot {slot} left while the request was waiting', retryable: true },
  internal: { status: 500, message: 'internal error: the log has the details' },
  serviceUnreachable: {
    status: 502,
    message: 'the service {service} cannot be reached, nothing was done: try again in a few seconds',
    retryable: true,
  },
  serviceAnswerLost: {
    status: 502,
    message: 'the service {service} sent an incomplete answer: the change may have been made',
  },
  queueFull: { status: 503, message: 'slot {slot} has {limit} requests waiting already: try again later', retryable: true },
  tokensUnreadable: { status: 503, message: 'the access tokens cannot be read: try again in a few seconds', retryable: true },
  timePaused: {
    status: 503,
    message:
      'the time of this virtual device is paused or slow, and the request waited {seconds} s for it: resume it at the bench',
    example: { seconds: '30' },
    retryable: true,
  },
})

/** The errors that doors, services and proxies share. Errors of one module type are in its own folder. */
export const coreErrors = { ...endpointErrors, ...others }
