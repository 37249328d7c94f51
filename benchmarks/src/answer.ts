import { get, type IncomingMessage } from 'node:http'
import { get as getSecurely } from 'node:https'

/** What a server says, as far as a bare one must say the same. */
export interface Answer {
  readonly status: number
  /** In the server's own spelling and order. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

/** How a server is asked: with which headers, and which authority its certificate is to be of. */
export interface Asking {
  readonly headers?: Readonly<Record<string, string>>
  /** PEM; for servers with TLS. */
  readonly authority?: string
}

/** Asks once, on a connection of its own. */
export function ask(url: string, { headers = {}, authority }: Asking = {}): Promise<Answer> {
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

/** Asks, and throws for any other status than 200. */
export async function askWell(url: string, asking: Asking = {}): Promise<Answer> {
  const answer = await ask(url, asking)
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
