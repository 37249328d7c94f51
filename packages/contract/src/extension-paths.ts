// What clients use of the extensions. It stands alone: a client for browsers has no descriptions.

/** Paths of the extensions that clients use. */
export const extensionPaths = {
  about: '/slotwire',
  livez: '/slotwire/livez',
  readyz: '/slotwire/readyz',
  state: '/slotwire/state',
  events: '/slotwire/events',
  history: '/slotwire/history',
  past: '/slotwire/past',
  leases: '/slotwire/leases',
  off: '/slotwire/off',
} as const

/** What a record of the journal is about. */
export const recordKinds = ['device', 'module', 'alert', 'protection', 'power', 'write', 'usb', 'watchdog', 'lease'] as const

export type RecordKind = (typeof recordKinds)[number]
