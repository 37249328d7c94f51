import type { Service } from '@slotwire/service'

/** A request like that of a client on the device. */
export interface ProcessRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** As in `/api/io/1.0/3/input/values`. */
  readonly path: string
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface ProcessAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>
  /** Parsed JSON of the body, or its text for another type; undefined without a body. */
  readonly body: unknown
}

/** Sends a request to a service in this process, without a socket. */
export async function ask(
  service: Pick<Service, 'inject'>,
  { method, path, body, headers = {} }: ProcessRequest,
): Promise<ProcessAnswer> {
  const sent = body === undefined ? {} : { payload: JSON.stringify(body) }
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const answer = await service.inject({ method, url: path, headers: { ...type, ...headers }, ...sent })
  return { status: answer.statusCode, headers: answer.headers, body: bodyOf(answer.body, answer.headers['content-type']) }
}

function bodyOf(text: string, contentType: unknown): unknown {
  if (text === '') return undefined
  return String(contentType).startsWith('application/json') ? JSON.parse(text) : text
}
