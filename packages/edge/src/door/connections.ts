import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock } from '@slotwire/core'
import { type Answer, sendAnswer } from '@slotwire/service'
import { networkOf, plainAddress } from './address.ts'

/** The open TCP connections of a door, by client: an IPv4 address, or a /64 of IPv6, because one host has all its addresses. */
export class Connections {
  readonly #byClient = new Map<string, Set<Socket>>()

  /** `perAddress`: most connections of the client with this address. An address without limit is counted on its own. */
  constructor(private readonly perAddress: (address: string) => number) {}

  /** Adds a connection until it closes. Closes it at once if its client has reached the limit. */
  add(socket: Socket): void {
    const address = plain(socket.remoteAddress)
    const most = this.perAddress(address)
    // Do not count the many connections of a proxy against its neighbours.
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

  /** The connection with this remote address and port. */
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

/** Time for a refused client to read the response before the connection is destroyed. */
const LINGER_MS = 1000

/** Closes a connection that the HTTP server cannot close, after an optional response. Destroys it later if it has not ended. */
export function hangUp(socket: Duplex, clock: Clock, answer?: Answer): void {
  if (socket.destroyed) return
  destroyLater(socket, clock)
  if (!socket.writable) {
    socket.destroy()
    return
  }
  // Read and drop further data: closing a connection with unread bytes would lose the response.
  socket.resume()
  if (answer === undefined || !(socket instanceof Socket)) {
    socket.end()
    return
  }
  const response = responseWithoutRequest(socket)
  response.once('finish', () => socket.end())
  sendAnswer(response, answer)
}

/** Makes the HTTP server read and drop data for a while before it closes this connection. */
export function lingerAtEnd(socket: Socket, clock: Clock): void {
  socket.destroySoon = () => {
    if (socket.destroyed) return
    destroyLater(socket, clock)
    socket.end()
  }
}

function destroyLater(socket: Duplex, clock: Clock): void {
  const timer = clock.after(LINGER_MS, () => socket.destroy())
  socket.once('close', () => timer.cancel())
}

/** A response with the server's usual headers (`Date`, `Connection`). */
function responseWithoutRequest(socket: Socket): ServerResponse {
  const response = new ServerResponse(new IncomingMessage(socket))
  response.shouldKeepAlive = false
  response.assignSocket(socket)
  return response
}
