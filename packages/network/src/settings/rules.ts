import { isLoopbackAddress } from '@slotwire/edge'
import type { Settings } from './settings.ts'
import { isUnspecified } from './value-types.ts'

/** Settings that are valid one by one, but not together. */
export interface Contradiction {
  /** The problem is reported at the first of these keys that is in the file. */
  readonly keys: readonly string[]
  /** `other`: the other key. */
  readonly message: (other: string) => string
}

const kindOf = (address: string) => (address.includes(':') ? '::' : '0.0.0.0')

/** Finds contradictions between settings that are valid one by one. */
export function* contradictionsIn(settings: Settings): Generator<Contradiction> {
  const { listen, machineIdPath, tlsCaPath } = settings
  for (const address of listen) {
    if (!isUnspecified(address) && listen.includes(kindOf(address)))
      yield { keys: ['doors.listen'], message: () => `${address} is in ${kindOf(address)} already: remove one of them` }
  }
  yield* samePorts(settings)
  if (machineIdPath === tlsCaPath)
    yield {
      keys: ['paths.tls-ca', 'paths.machine-id'],
      message: (other) => `${tlsCaPath} is ${other} too: choose another for one of them`,
    }
  yield* brokerContradictions(settings)
}

function* samePorts({ loopbackPort, loopbackPorts, httpsPort, httpPort, listen }: Settings): Generator<Contradiction> {
  const network = { 'doors.http-port': httpPort, 'doors.https-port': httpsPort }
  // Port 0 gives a different port each time.
  const same = (one: number | undefined, other: number) => one === other && one !== 0
  if (same(httpPort, httpsPort))
    yield {
      keys: Object.keys(network),
      message: (other) => `${httpsPort} is ${other} too: choose another for one of them`,
    }
  if (loopbackPorts.includes(loopbackPort))
    yield {
      keys: ['doors.loopback-ports', 'doors.port'],
      message: (other) => `${loopbackPort} is ${other} too: remove one of them`,
    }
  if (!listen.some((address) => isUnspecified(address) || isLoopbackAddress(address))) return
  const local = { 'doors.port': [loopbackPort], 'doors.loopback-ports': loopbackPorts }
  for (const [key, port] of Object.entries(network))
    for (const [localKey, ports] of Object.entries(local)) {
      if (!ports.some((each) => same(port, each))) continue
      yield {
        keys: [key, localKey],
        message: (other) => `${port} is ${other} too, and doors.listen has a loopback address: choose another for one of them`,
      }
    }
}

function* brokerContradictions(settings: Settings): Generator<Contradiction> {
  const { mqttBroker, mqttCa, mqttCert, mqttKey, mqttPayload, mqttHomeAssistant } = settings
  if (mqttPayload === 'sparkplug' && mqttHomeAssistant !== undefined)
    yield {
      keys: ['mqtt.home-assistant', 'mqtt.payload'],
      message: () => 'Home Assistant needs plain topics: set mqtt.payload to plain, or this to off',
    }
  if ((mqttCert === undefined) !== (mqttKey === undefined))
    yield {
      keys: ['mqtt.cert', 'mqtt.key'],
      message: (other) => `a client certificate needs both files: set ${other} too`,
    }
  if (mqttBroker?.startsWith('mqtt:') === true && (mqttCa ?? mqttCert) !== undefined)
    yield {
      keys: ['mqtt.broker', mqttCa === undefined ? 'mqtt.cert' : 'mqtt.ca'],
      message: (other) => `${other} needs TLS: begin the address with mqtts://`,
    }
}
