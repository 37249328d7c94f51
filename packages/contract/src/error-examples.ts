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
  limits: 'the limits',
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
/** By error: placeholders with another meaning than above. */
const REASONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'malformed-request': { reason: 'there is more than one Host header' },
  'command-refused': { command: 'SET_MODE', reason: 'it is not possible in the present state' },
  'fan-refused': { reason: 'it reports mode 3' },
  'invalid-field': { reason: 'duration is out of range: 1…1000 ms' },
  'body-too-large': { limit: '65536' },
  'headers-too-large': { limit: '16384' },
  'service-busy': { limit: '64' },
  'time-paused': { seconds: '30' },
  'bench-refused': { reason: 'pin 3/1 is wired to pin 5/6 already' },
  'bench-not-factory-reset': { reason: 'it sent an invalid response' },
  'power-not-confirmed': { reason: 'the power manager did not record that its grant is used' },
}
const OTHER_REASON = 'ETIMEDOUT'
/** For placeholders of a module's own. */
const OTHER_VALUE = '1'

/** The message of an error as a client may get it. */
export function exampleMessage({ code, message }: Pick<ErrorDefinition, 'code' | 'message'>): string {
  const details: Readonly<Record<string, string>> = { ...DETAILS, reason: OTHER_REASON, ...REASONS[code] }
  return message.replace(/\{(\w+)\}/g, (_, name: string) => details[name] ?? OTHER_VALUE)
}
