import { once } from 'node:events'
import { connect } from 'node:net'
import { connect as connectSecurely } from 'node:tls'

const END_OF_HEADERS = '\r\n\r\n'

/** An answer as it came: the lines of its head, and its body. */
export type Answer = Readonly<Record<'head' | 'body', string>>

/** One kept connection with one request at a time and minimal work, so that the server's time is measured. */
export interface LeanClient {
  /** Sends a GET, or a POST with a JSON body. Rejects for any status but 200. */
  readonly ask: (path: string, body?: object) => Promise<Answer>
  readonly close: () => void
}

/** Connects to the server at this URL. `headers`: lines for each request; `ca`: the authority of its certificate (PEM). */
export async function connectTo(
  url: string,
  { headers = [], ca = '' }: { readonly headers?: readonly string[]; readonly ca?: string } = {},
): Promise<LeanClient> {
  const { hostname, port, host, protocol } = new URL(url)
  const isSecure = protocol === 'https:'
  const at = { host: hostname, port: Number(port) }
  const socket = isSecure ? connectSecurely({ ...at, ca }) : connect(at)
  await once(socket, isSecure ? 'secureConnect' : 'connect')
  let waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined
  let received = ''
  socket.setEncoding('latin1').setNoDelay(true)
  socket.on('close', () => waiting?.reject(new Error(`${url} closed the connection`)))
  socket.on('data', (part: string) => {
    received += part
    const end = received.indexOf(END_OF_HEADERS)
    if (end < 0) return
    const [head, body] = [received.slice(0, end), received.slice(end + END_OF_HEADERS.length)]
    if (body.length < Number(/^content-length: (\d+)$/im.exec(head)?.[1])) return
    received = ''
    if (head.startsWith('HTTP/1.1 200 ')) waiting?.resolve({ head, body })
    else waiting?.reject(new Error(`${url} answers ${head}\n\n${body}`))
  })
  const shared = [`host: ${host}`, ...headers].join('\r\n')
  return {
    ask: (path, body) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        const text = body === undefined ? '' : JSON.stringify(body)
        const more = body === undefined ? '' : `\r\ncontent-type: application/json\r\ncontent-length: ${text.length}`
        const method = body === undefined ? 'GET' : 'POST'
        socket.write(`${method} ${path} HTTP/1.1\r\n${shared}${more}${END_OF_HEADERS}${text}`, 'latin1')
      }),
    close: () => socket.destroy(),
  }
}
