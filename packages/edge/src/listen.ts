import type { Service } from '@slotwire/service'
import { Door } from './door/door.ts'
import type { DoorManners, OpenDoor } from './door/door-manners.ts'
import { receiveLoopback } from './reception/reception.ts'

/** An address to listen at; port 0 picks one. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** Opens a door of one service, as `listen` does. */
export type Listen = (at: ListenAddress, manners?: DoorManners) => Promise<OpenDoor>

/**
 * Opens a door of a service. Without manners it is a loopback door: no credentials, so it must not be reachable from elsewhere. The door
 * closes with the service. Rejects with the system's error (`EADDRINUSE`, `EADDRNOTAVAIL`).
 */
export async function listen(service: Service, at: ListenAddress, manners: DoorManners = {}): Promise<OpenDoor> {
  const door = new Door(service, { receive: receiveLoopback, ...manners })
  const address = await service.adopt(door, () => door.listen(at))
  return { address, close: () => service.closeDoor(door), renewCertificate: (certificate) => door.renewCertificate(certificate) }
}
