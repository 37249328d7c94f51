import type { Service } from '@slotwire/service'
import { checkLoopbackAccess } from './access/access.ts'
import { Door } from './door/door.ts'
import type { ListenerPolicy, OpenDoor } from './door/listener-policy.ts'

/** An address to listen on; port 0 chooses a free one. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** Opens a door of a service that is already bound; see `listen`. */
export type Listen = (at: ListenAddress, policy?: ListenerPolicy) => Promise<OpenDoor>

/**
 * Opens a door of a service. Default policy: a loopback door without credentials, which other hosts must not reach. The door closes with
 * the service. Rejects with the system's error (`EADDRINUSE`, `EADDRNOTAVAIL`).
 */
export async function listen(service: Service, at: ListenAddress, policy: ListenerPolicy = {}): Promise<OpenDoor> {
  const door = new Door(service, { checkAccess: checkLoopbackAccess, ...policy })
  const address = await service.adopt(door, () => door.listen(at))
  return { address, close: () => service.closeDoor(door), renewCertificate: (certificate) => door.renewCertificate(certificate) }
}
