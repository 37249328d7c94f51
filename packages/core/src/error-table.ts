import { defineErrors } from './errors.ts'

/** The errors that every service can answer with. What a module type alone can refuse stands in its own folder. */
export const coreErrors = defineErrors({
  malformedRequest: {
    code: 'malformed-request',
    status: 400,
    message: 'the HTTP request is malformed: {reason}',
    retryable: false,
  },
  versionNotSupported: {
    code: 'version-not-supported',
    status: 400,
    message: 'API version {version} is not supported: use {supported}',
    retryable: false,
  },
  bodyNotJson: {
    code: 'body-not-json',
    status: 400,
    message: 'the body is not JSON: send one JSON object, in UTF-8',
    retryable: false,
  },
  commandRefused: {
    code: 'command-refused',
    status: 400,
    message: 'the module refused {command}: {reason}',
    retryable: false,
  },
  credentialsRequired: {
    code: 'credentials-required',
    status: 401,
    message: 'the credentials are missing or wrong: send HTTP Basic with the user name token and an access token as password',
    retryable: false,
  },
  readOnly: {
    code: 'read-only',
    status: 403,
    message: 'this access is read-only: what changes something needs an access token that may write',
    retryable: false,
  },
  serviceNotGranted: {
    code: 'service-not-granted',
    status: 403,
    message: 'this access token is limited to {services}: use one for all services, or with this one among them',
    retryable: false,
  },
  authRequestUnclear: {
    code: 'auth-request-unclear',
    status: 403,
    message:
      'the proxy must say what it asks for: X-Original-URI and X-Original-Method, or X-Forwarded-Uri and X-Forwarded-Method',
    retryable: false,
  },
  deviceOnly: {
    code: 'device-only',
    status: 403,
    message: 'what is behind this path is for programs of the device itself',
    retryable: false,
  },
  hostNotLoopback: {
    code: 'host-not-loopback',
    status: 403,
    message:
      'the Host of the request must be localhost, 127.0.0.1 or [::1]: other names are for the network door, see slotwire serve --listen',
    retryable: false,
  },
  crossSite: {
    code: 'cross-site',
    status: 403,
    message:
      'a page of another site caused the request (Origin, Sec-Fetch-Site): type the address, or use a page of this server or a program',
    retryable: false,
  },
  notFound: { code: 'not-found', status: 404, message: 'Not Found', retryable: false },
  slotNotUsable: {
    code: 'slot-not-usable',
    status: 404,
    message: 'slot {slot} holds no usable {service} module: GET /api/{service}/ lists those there are',
    retryable: true,
  },
  noSuchItem: {
    code: 'no-such-item',
    status: 404,
    message: '{field} {value} does not exist: {bounds}',
    retryable: false,
  },
  methodNotAllowed: {
    code: 'method-not-allowed',
    status: 405,
    message: '{method} is not allowed here: use {allowed}',
    retryable: false,
  },
  requestTimeout: {
    code: 'request-timeout',
    status: 408,
    message: 'the request did not arrive in time: send {part} within {seconds} seconds',
    retryable: true,
  },
  bodyTooLarge: {
    code: 'body-too-large',
    status: 413,
    message: 'the body is too large: at most {limit} bytes',
    retryable: false,
  },
  contentTypeNotJson: {
    code: 'content-type-not-json',
    status: 415,
    message: 'the content type is not supported: send Content-Type: application/json',
    retryable: false,
  },
  contentEncodingNotSupported: {
    code: 'content-encoding-not-supported',
    status: 415,
    message: 'the content encoding is not supported: send the body as it is, without Content-Encoding',
    retryable: false,
  },
  invalidField: { code: 'invalid-field', status: 422, message: '{reason}', retryable: false },
  tooManyFailedLogins: {
    code: 'too-many-failed-logins',
    status: 429,
    message: 'too many failed logins from this address: try again in {seconds} s',
    retryable: true,
  },
  headersTooLarge: {
    code: 'headers-too-large',
    status: 431,
    message: 'the headers are too large: at most {limit} bytes in all',
    retryable: false,
  },
  moduleFailed: {
    code: 'module-failed',
    status: 500,
    message: 'the module in slot {slot} did not answer {command} (attempts: {attempts})',
    retryable: true,
  },
  moduleAnswerInvalid: {
    code: 'module-answer-invalid',
    status: 500,
    message: 'the module in slot {slot} gave an answer to {command} that makes no sense',
    retryable: true,
  },
  moduleHung: {
    code: 'module-hung',
    status: 500,
    message: 'the module in slot {slot} does not answer any more: the request waited for it and was not sent',
    retryable: true,
  },
  descriptorNotRead: {
    code: 'descriptor-not-read',
    status: 500,
    message: 'the descriptor of the module in slot {slot} could not be read',
    retryable: true,
  },
  moduleLost: {
    code: 'module-lost',
    status: 404,
    message: 'the module in slot {slot} left while the request was waiting',
    retryable: true,
  },
  internal: { code: 'internal', status: 500, message: 'internal error: the log has the details', retryable: false },
  deviceRestarting: {
    code: 'device-restarting',
    status: 502,
    message: 'the device is restarting: try again in a few seconds',
    retryable: true,
  },
  serviceUnreachable: {
    code: 'service-unreachable',
    status: 502,
    message: 'the service {service} cannot be reached, nothing was done: try again in a few seconds',
    retryable: true,
  },
  serviceAnswerLost: {
    code: 'service-answer-lost',
    status: 502,
    message: 'the service {service} gave no whole answer: what the request was to change may have been changed',
    retryable: false,
  },
  serviceBusy: {
    code: 'service-busy',
    status: 503,
    message: 'the service {service} has {limit} requests to answer already: try again later',
    retryable: true,
  },
  queueFull: {
    code: 'queue-full',
    status: 503,
    message: 'slot {slot} has {limit} requests waiting already: try again later',
    retryable: true,
  },
  starting: {
    code: 'starting',
    status: 503,
    message: 'the service is starting: the modules have not been looked at yet',
    retryable: true,
  },
  stopping: {
    code: 'stopping',
    status: 503,
    message: 'the service is stopping',
    retryable: true,
  },
})
