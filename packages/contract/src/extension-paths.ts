/** Paths of the extensions that clients use. They stand alone: a client for browsers needs no descriptions. */
export const extensionPaths = {
  about: '/slotwire',
  state: '/slotwire/state',
  events: '/slotwire/events',
  history: '/slotwire/history',
  leases: '/slotwire/leases',
} as const
