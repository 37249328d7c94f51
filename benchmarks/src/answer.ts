import { get, type IncomingMessage } from 'node:http'
import { get as getSecurely } from 'node:https'

/** An answer of a server, to compare with that of a bare server. */
export interface Answer {
  readonly status: number
  /** With the server's spelling and order. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

/** How to send requests to a server: additional headers, and the authority of its certificate. */
export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** PEM, for servers with TLS. */
  readonly authority?: string
}

/** Sends one request on a new connection. */
export function ask(url: string, { headers = {}, authority }: RequestOptions = {}): Promise<Answer> {
  const begin = url.startsWith('https:') ? getSecurely : get
  const options = { headers, ...(authority === undefined ? {} : { ca: authority }) }
  return new Promise((resolve, reject) => {
    const request = begin(url, options, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
      })
      response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: headersOf(response), body: text }))
      response.once('error', reject)
    })
    request.once('error', reject)
  })
}

/** Sends a request; throws for any status but 200. */
export async function askOk(url: string, requestOptions: RequestOptions = {}): Promise<Answer> {
  const answer = await ask(url, requestOptions)
  if (answer.status !== 200) throw new Error(`${url} answers ${answer.status}: ${answer.body}`)
  return answer
}

function headersOf({ rawHeaders }: IncomingMessage): Answer['headers'] {
  return rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : []))
}

/** Throws unless both answers are identical, except for the time in `Date`. */
export function assertSameAnswer(ours: Answer, bare: Answer): void {
  const written = ({ status, headers, body }: Answer): string =>
    [status, ...headers.map(([name, value]) => `${name}: ${name === 'Date' ? '' : value}`), body].join('\n')
  if (written(ours) !== written(bare)) throw new Error(`the bare server answers\n${written(bare)}\ninstead of\n${written(ours)}`)
}
