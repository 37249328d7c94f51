import type { Socket } from 'node:net'

/** The TCP connections of a door that are open, by the address of the client. */
export class Connections {
  readonly #byAddress = new Map<string, Set<Socket>>()
  readonly #perAddress: (address: string) => number

  /** `perAddress`: how many one client address may have. */
  constructor(perAddress: number | ((address: string) => number)) {
    this.#perAddress = typeof perAddress === 'number' ? () => perAddress : perAddress
  }

  /** Keeps a connection until it ends. Ends it at once when its client has as many as it may have. */
  add(socket: Socket): void {
    const address = socket.remoteAddress ?? ''
    const others = this.#byAddress.get(address) ?? new Set()
    if (others.size >= this.#perAddress(address)) {
      socket.destroy()
      return
    }
    others.add(socket)
    this.#byAddress.set(address, others)
    socket.once('close', () => {
      others.delete(socket)
      if (others.size === 0) this.#byAddress.delete(address)
    })
  }

  /** The connection with this other end. */
  find(address: string | undefined, port: number | undefined): Socket | undefined {
    for (const socket of this.#byAddress.get(address ?? '') ?? []) if (socket.remotePort === port) return socket
    return undefined
  }

  *[Symbol.iterator](): Iterator<Socket> {
    for (const sockets of this.#byAddress.values()) yield* sockets
  }
}
