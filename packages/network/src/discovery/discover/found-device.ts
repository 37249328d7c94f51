/** A device of the specification found in the network. */
export interface FoundDevice {
  /** Identifies the device (spec "Discovery"); undefined: none of its doors reported it. */
  readonly machineId: string | undefined
  /** `press-4.local`; several if the device is seen under several names. */
  readonly hostNames: readonly string[]
  readonly vendor: string | undefined
  readonly addresses: readonly string[]
  /** SHA-256 fingerprint of the authority to trust; undefined: none is shown, or all doors are trusted already. */
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
 * Result of a probe, best first: the service works; it needs a token; it refused the token; its certificate is not trusted, so no token was
 * sent; no server answers; it sent an unexpected response.
 */
export const DOOR_STATES = ['works', 'needs-token', 'token-refused', 'untrusted', 'unreachable', 'failed'] as const
export type DoorState = (typeof DOOR_STATES)[number]

/** A service at one door. */
export interface FoundDoor {
  /** URL of the service, with the host name. */
  readonly url: string
  readonly state: DoorState
  /** Why the service does not work. */
  readonly reason: string | undefined
  /** Only if the service works. */
  readonly versions: ServiceVersions | undefined
}

/** Versions in the form `1.0.0`. */
export interface ServiceVersions {
  readonly api: string
  readonly service: string
}
