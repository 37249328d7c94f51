import { connect, type Socket, type TcpNetConnectOpts } from 'node:net'

/** Sends bytes and returns everything that the server sends until it closes the connection. */
export async function talk(port: number, ...parts: (string | Buffer)[]): Promise<string> {
  const socket = await dial(port)
  for (const part of parts) socket.write(part)
  return readToEnd(socket)
}

export function dial(port: number, options: Pick<TcpNetConnectOpts, 'localAddress'> = {}): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, ...options }, () => resolve(socket))
    socket.once('error', reject)
  })
}

/** Everything received until the connection closes. */
export function readToEnd(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (data) => {
      text += String(data)
    })
    socket.once('error', () => undefined)
    socket.once('close', () => resolve(text))
  })
}

/** Resolves with everything received as soon as it contains `wanted`. */
export function readUntil(socket: Socket, wanted: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const onData = (data: Buffer | string): void => {
      text += String(data)
      if (!text.includes(wanted)) return
      socket.off('data', onData)
      resolve(text)
    }
    socket.on('data', onData)
    socket.once('close', () => reject(new Error(`the connection ended after: ${text}`)))
  })
}

export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Splits received text into responses. Throws for other text, and for responses without Content-Length. */
export function answersIn(text: string): RawAnswer[] {
  const answers: RawAnswer[] = []
  let rest = text
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1])
    const headers: Record<string, string> = {}
    for (const line of lines) headers[line.replace(/:.*/s, '').toLowerCase()] = line.replace(/^[^:]*: /, '')
    const length = Number(headers['content-length'])
    if (end < 0 || Number.isNaN(status) || Number.isNaN(length)) throw new Error(`no answer: ${rest}`)
    const bytes = Buffer.from(rest.slice(end + 4))
    answers.push({ status, headers, body: bytes.subarray(0, length).toString() })
    rest = bytes.subarray(length).toString()
  }
  return answers
}
