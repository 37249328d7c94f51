import type { Socket } from 'node:net'
import { networkOf, plainAddress } from './address.ts'

/** The TCP connections of a door that are open, by client: an IPv4 address, or a /64 of IPv6, of which one host has all addresses. */
export class Connections {
  readonly #byClient = new Map<string, Set<Socket>>()
  readonly #perAddress: (address: string) => number

  /** `perAddress`: how many a client with this address may have. Where there is no bound, the address counts for itself alone. */
  constructor(perAddress: number | ((address: string) => number)) {
    this.#perAddress = typeof perAddress === 'number' ? () => perAddress : perAddress
  }

  /** Keeps a connection until it ends. Ends it at once when its client has as many as it may have. */
  add(socket: Socket): void {
    const address = plain(socket.remoteAddress)
    const most = this.#perAddress(address)
    // The many of a proxy must not be held against its neighbours.
    const client = most === Number.POSITIVE_INFINITY ? address : networkOf(address)
    const others = this.#byClient.get(client) ?? new Set()
    if (others.size >= most) {
      socket.destroy()
      return
    }
    others.add(socket)
    this.#byClient.set(client, others)
    socket.once('close', () => {
      others.delete(socket)
      if (others.size === 0) this.#byClient.delete(client)
    })
  }

  /** The connection with this other end. */
  find(address: string | undefined, port: number | undefined): Socket | undefined {
    const wanted = plain(address)
    for (const client of new Set([wanted, networkOf(wanted)])) {
      for (const socket of this.#byClient.get(client) ?? []) {
        if (socket.remotePort === port && plain(socket.remoteAddress) === wanted) return socket
      }
    }
    return undefined
  }

  *[Symbol.iterator](): Iterator<Socket> {
    for (const sockets of this.#byClient.values()) yield* sockets
  }
}

function plain(address: string | undefined): string {
  return plainAddress(address ?? '') ?? ''
}
