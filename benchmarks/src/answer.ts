import type { Agent, IncomingMessage } from 'node:http'
import { request as sendRequest } from 'node:http'

/** What a server says, as far as a bare one must say the same. */
export interface Answer {
  readonly status: number
  /** In the server's own spelling and order. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

export interface Question {
  readonly agent?: Agent
  readonly method?: 'GET' | 'POST'
  /** Sent as JSON. */
  readonly body?: object
}

/** Asks one question over HTTP. */
export function ask(url: string, { agent, method = 'GET', body }: Question = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const request = sendRequest(url, { method, headers, ...(agent === undefined ? {} : { agent }) }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
      })
      response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: headersOf(response), body: text }))
      response.once('error', reject)
    })
    request.once('error', reject)
    request.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** Asks, and throws for any other status than 200. */
export async function askWell(url: string, question?: Question): Promise<Answer> {
  const answer = await ask(url, question)
  if (answer.status !== 200) throw new Error(`${url} answers ${answer.status}: ${answer.body}`)
  return answer
}

function headersOf({ rawHeaders }: IncomingMessage): Answer['headers'] {
  return rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : []))
}

/** Throws unless both answers are the same to the letter, but for the time in `Date`. */
export function assertSameAnswer(ours: Answer, bare: Answer): void {
  const written = ({ status, headers, body }: Answer): string =>
    [status, ...headers.map(([name, value]) => `${name}: ${name === 'Date' ? '' : value}`), body].join('\n')
  if (written(ours) !== written(bare)) throw new Error(`the bare server answers\n${written(bare)}\ninstead of\n${written(ours)}`)
}
