/** The device cannot be announced as it was asked for; says why and what to do. */
export class DiscoveryError extends Error {
  override readonly name = 'DiscoveryError'
}
