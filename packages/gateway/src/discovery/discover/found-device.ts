/** A device of the specification that was found in the network. */
export interface FoundDevice {
  /** Tells devices apart (spec "Discovery"); undefined: none of its doors told it. */
  readonly machineId: string | undefined
  /** `press-4.local`; several where it is seen under several. */
  readonly hostNames: readonly string[]
  readonly vendor: string | undefined
  readonly addresses: readonly string[]
  /** SHA-256 fingerprint of the authority that it tells clients to trust; undefined: it shows none, or all its doors are trusted already. */
  readonly caFingerprint: string | undefined
  readonly services: readonly FoundService[]
}

/** A service that a device announces: `io-module` at `/api/io/`. */
export interface FoundService {
  readonly name: string
  readonly path: string
  readonly doors: readonly FoundDoor[]
}

/**
 * What came of knocking: it answers; it wants a token, or refuses the one that it got; its certificate is not trusted, so that it got none;
 * nobody is there; it answers something else.
 */
export const DOOR_STATES = ['works', 'needs-token', 'token-refused', 'untrusted', 'unreachable', 'failed'] as const
export type DoorState = (typeof DOOR_STATES)[number]

/** A service at one door. */
export interface FoundDoor {
  /** Of the service, with the host name. */
  readonly url: string
  readonly state: DoorState
  /** Why it does not work. */
  readonly reason: string | undefined
  /** Of a service that works. */
  readonly versions: ServiceVersions | undefined
}

/** Each as `1.0.0`. */
export interface ServiceVersions {
  readonly api: string
  readonly service: string
}
