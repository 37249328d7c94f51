import type { IncomingMessage, ServerResponse } from 'node:http'

const GO_AHEAD = /(?:^|\W)100-continue(?:$|\W)/i
const CLOSES = /(?:^|\W)close(?:$|\W)/i

/**
 * For the response to a request whose body waits for `100 Continue`: without it (RFC 9110, 10.1.1) nobody knows whether the body will
 * still come, so the connection ends with the answer.
 */
export function holdBack(response: ServerResponse): void {
  response.shouldKeepAlive = false
}

/** To be called when the body is going to be read: tells a client that waits for it to send the body. */
export function goAhead({ headers, httpVersion }: IncomingMessage, response: ServerResponse): void {
  if (headers.expect === undefined || httpVersion !== '1.1' || !GO_AHEAD.test(headers.expect)) return
  response.shouldKeepAlive = !CLOSES.test(headers.connection ?? '')
  response.writeContinue()
}
