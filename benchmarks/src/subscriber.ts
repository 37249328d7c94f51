import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** Most streams from one address. */
const PER_ADDRESS = 16

/** A client of the event stream with minimal work. */
export class Subscriber {
  readonly #socket: Socket

  private constructor(socket: Socket) {
    this.#socket = socket
  }

  /** Follows the alerts of a service; `onText` gets what arrives. The `index` chooses the client's address. */
  static async open(url: string, index: number, onText: (text: string) => void = () => undefined): Promise<Subscriber> {
    const { hostname, port, host } = new URL(url)
    const localAddress = `127.0.0.${2 + Math.floor(index / PER_ADDRESS)}`
    const socket = connect({ host: hostname, port: Number(port), localAddress })
    socket.setEncoding('latin1').on('data', onText)
    await once(socket, 'connect')
    socket.write(`GET /slotwire/events?kinds=alert HTTP/1.1\r\nhost: ${host}\r\n\r\n`)
    await once(socket, 'data')
    return new Subscriber(socket)
  }

  close(): void {
    this.#socket.destroy()
  }
}
