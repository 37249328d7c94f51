import { isRecord, messageOf } from '@slotwire/core'
import mqtt from 'mqtt'
import type { BrokerAccess } from './mqtt-options.ts'

const AUTHORITY = 'give the authority of the broker (--mqtt-ca, or mqtt.ca in the settings)'
const LOGIN = 'check the user and the password (--mqtt-user, --mqtt-password, or mqtt.user and mqtt.password in the settings)'
const UNTRUSTED = `its certificate is of an authority that this machine does not trust: ${AUTHORITY}`
const NO_TLS = 'it does not speak TLS at this port: write mqtt://, or its port for TLS'
const WRONG_PORT = 'it ended the connection at its beginning: check the port, and whether it is mqtt:// or mqtts:// there'
const ADDRESS = 'check the address and the network'

/** What an operator does about a failure, by its code. */
const REASONS: Readonly<Record<string | number, string>> = {
  ECONNREFUSED: 'nothing answers at this port: start the broker, or check the port',
  ENOTFOUND: 'its name is not known: check the address',
  EAI_AGAIN: 'its name cannot be looked up now: check the network',
  EHOSTUNREACH: `it cannot be reached: ${ADDRESS}`,
  ENETUNREACH: `it cannot be reached: ${ADDRESS}`,
  ECONNRESET: WRONG_PORT,
  EPIPE: WRONG_PORT,
  ETIMEDOUT: `it does not answer: ${ADDRESS}`,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: 'its certificate has expired: renew it, or check the clock of this machine',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet: check the clock of this machine',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name: write the name of the certificate in the address',
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'it requires a client certificate: give --mqtt-cert and --mqtt-key',
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: 'it refuses the connection: it may require a client certificate (--mqtt-cert)',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: 'it does not trust the client certificate: use one of an authority that it knows',
  garbage: 'what it sends is not MQTT: check the port',
  closed: 'it closed the connection without a reason: its log may have one',
  129: 'it does not understand the connection: it must speak MQTT 5',
  132: 'it does not speak MQTT 5: use a broker that does',
  133: 'it refuses the client id, which is the machine id: allow it',
  134: LOGIN,
  135: `it refuses this client: ${LOGIN}`,
  142: 'another connection has the client id, which is the machine id',
  149: 'it takes no packets of this size: raise its limit',
  151: 'its quota is used up: ask its operator',
  152: 'its operator closed the connection',
  138: 'it has banned this client: ask its operator',
}

/** Why the broker is not connected, with a remedy. `failure`: an error of the network, of TLS or of the package; or a reason code of MQTT 5. */
export function brokerReason(failure: unknown, { shown }: Pick<BrokerAccess, 'shown'>): string {
  const { code, reasonString } = isRecord(failure) || failure instanceof Error ? (failure as Failure) : {}
  // Errors of the package's parser have no code.
  const known = REASONS[code ?? (/header flag|cannot parse|malformed/i.test(messageOf(failure)) ? 'garbage' : '')]
  const said = typeof code === 'number' ? inWords(code, reasonString) : code === 'closed' ? undefined : messageOf(failure)
  const parts = [known ?? 'it is not connected', ...(said === undefined ? [] : [`(${said})`])]
  return `the broker ${shown}: ${parts.join(' ')}`
}

interface Failure {
  readonly code?: string | number
  readonly reasonString?: string | undefined
}

/** A reason code of MQTT 5: what the broker said, the meaning of the code, and the code. */
export function inWords(code: number, reasonString: string | undefined): string {
  const { [code as keyof typeof mqtt.ReasonCodes]: meaning = 'unknown reason' } = mqtt.ReasonCodes
  return [reasonString, meaning, `0x${code.toString(16).padStart(2, '0')}`].filter((part) => part).join(', ')
}
