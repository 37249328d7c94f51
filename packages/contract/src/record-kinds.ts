/** What a record of the journal is about. */
export const recordKinds = ['device', 'module', 'alert', 'protection', 'power', 'write', 'usb', 'watchdog', 'lease'] as const

export type RecordKind = (typeof recordKinds)[number]
