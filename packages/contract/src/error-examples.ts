import type { ErrorDefinition } from '@slotwire/core'

/** What a message of the default twin has in its placeholders. */
const DETAILS: Readonly<Record<string, string>> = {
  allowed: 'GET or HEAD',
  asked: 'a request for power',
  attempts: '4',
  bounds: '1…6',
  command: 'GET_VALUES',
  field: 'pin',
  limit: '128',
  method: 'DELETE',
  milliseconds: '2000',
  module: 'io',
  number: '2',
  part: 'its headers',
  pin: '3',
  seconds: '10',
  service: 'io',
  services: 'io',
  slot: '3',
  socket: '/run/slotwire/power.sock',
  supported: '1.0',
  url: 'http://127.0.0.1:8004',
  value: '7',
  version: '2.0',
}
const OTHER_REASON = 'ETIMEDOUT'
/** For placeholders of a module's own. */
const OTHER_VALUE = '1'

/** The message of an error as a client may get it. */
export function exampleMessage({ message, example }: Pick<ErrorDefinition, 'message' | 'example'>): string {
  const details: Readonly<Record<string, string>> = { ...DETAILS, reason: OTHER_REASON, ...example }
  return message.replace(/\{(\w+)\}/g, (_, name: string) => details[name] ?? OTHER_VALUE)
}
