import { get, type IncomingMessage } from 'node:http'

/** What a server says, as far as a bare one must say the same. */
export interface Answer {
  readonly status: number
  /** In the server's own spelling and order. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

/** Asks once, on a connection of its own. */
export function ask(url: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = get(url, (response) => {
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
export async function askWell(url: string): Promise<Answer> {
  const answer = await ask(url)
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
