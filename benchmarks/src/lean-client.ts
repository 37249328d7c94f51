import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const END_OF_HEADERS = '\r\n\r\n'

/** One kept connection with one request at a time and minimal work, so that the server's time is measured. */
export class LeanClient {
  readonly #socket: Socket
  readonly #host: string
  #received = ''
  #waiting: { resolve: (body: string) => void; reject: (error: Error) => void } | undefined

  private constructor(socket: Socket, host: string) {
    this.#socket = socket
    this.#host = host
    socket.setEncoding('latin1').setNoDelay(true)
    socket.on('data', (part: string) => this.#take(part))
    socket.on('close', () => this.#waiting?.reject(new Error('the server closed the connection')))
  }

  /** Connects to the server at this URL. */
  static async connect(url: string): Promise<LeanClient> {
    const { hostname, port, host } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port) })
    await once(socket, 'connect')
    return new LeanClient(socket, host)
  }

  /** Sends a GET, or a POST with a JSON body; `header` is one more line. Resolves with the body; rejects for any status but 200. */
  ask(path: string, body?: object, header?: string): Promise<string> {
    const host = `host: ${this.#host}${header === undefined ? '' : `\r\n${header}`}`
    if (body === undefined) return this.#send(`GET ${path} HTTP/1.1\r\n${host}${END_OF_HEADERS}`)
    const text = JSON.stringify(body)
    const headers = `${host}\r\ncontent-type: application/json\r\ncontent-length: ${text.length}`
    return this.#send(`POST ${path} HTTP/1.1\r\n${headers}${END_OF_HEADERS}${text}`)
  }

  close(): void {
    this.#waiting = undefined
    this.#socket.destroy()
  }

  #send(request: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#socket.write(request, 'latin1')
    })
  }

  #take(part: string): void {
    this.#received += part
    const end = this.#received.indexOf(END_OF_HEADERS)
    if (end < 0) return
    const head = this.#received.slice(0, end)
    const body = this.#received.slice(end + END_OF_HEADERS.length)
    if (body.length < Number(/^content-length: (\d+)$/im.exec(head)?.[1])) return
    this.#received = ''
    const waiting = this.#waiting
    this.#waiting = undefined
    if (head.startsWith('HTTP/1.1 200 ')) waiting?.resolve(body)
    else waiting?.reject(new Error(`${head}\n\n${body}`))
  }
}
