import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv4 } from 'node:net'
import { reasonOf } from './files.ts'

/**
 * Why nobody can listen at an address of this machine, as the system calls it; undefined: somebody can. A socket for datagrams is bound there for a
 * moment, at a port that the system picks: none that anybody waits for.
 */
export async function addressFault(address: string): Promise<string | undefined> {
  const socket = createSocket(isIPv4(address) ? 'udp4' : 'udp6')
  try {
    socket.bind({ address, port: 0, exclusive: true })
    await once(socket, 'listening')
    return undefined
  } catch (error) {
    return reasonOf(error)
  } finally {
    socket.close()
  }
}
