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

/** Finds contradictions between settings that are valid one by one. */
export function contradictionsIn(settings: Settings): readonly Contradiction[] {
  return [...overlappingAddresses(settings), ...samePorts(settings), ...samePaths(settings), ...brokerSettings(settings)]
}

const kindOf = (address: string) => (address.includes(':') ? '::' : '0.0.0.0')

function overlappingAddresses({ listen }: Settings): readonly Contradiction[] {
  return listen
    .filter((address) => !isUnspecified(address) && listen.includes(kindOf(address)))
    .map((address) => ({
      keys: ['doors.listen'],
      message: () => `${address} is in ${kindOf(address)} already: remove one of them`,
    }))
}

function samePorts({ loopbackPort, loopbackPorts, httpsPort, httpPort, listen }: Settings): readonly Contradiction[] {
  const network = { 'doors.http-port': httpPort, 'doors.https-port': httpsPort }
  // Port 0 gives a different port each time.
  const same = (one: number | undefined, other: number) => one === other && one !== 0
  const contradictions: Contradiction[] = []
  if (same(httpPort, httpsPort)) {
    contradictions.push({
      keys: Object.keys(network),
      message: (other) => `${httpsPort} is ${other} too: choose another for one of them`,
    })
  }
  if (loopbackPorts.includes(loopbackPort)) {
    contradictions.push({
      keys: ['doors.loopback-ports', 'doors.port'],
      message: (other) => `${loopbackPort} is ${other} too: remove one of them`,
    })
  }
  if (!listen.some((address) => isUnspecified(address) || isLoopbackAddress(address))) return contradictions
  const local = { 'doors.port': [loopbackPort], 'doors.loopback-ports': loopbackPorts }
  for (const [key, port] of Object.entries(network))
    for (const [localKey, ports] of Object.entries(local)) {
      if (!ports.some((each) => same(port, each))) continue
      contradictions.push({
        keys: [key, localKey],
        message: (other) => `${port} is ${other} too, and doors.listen has a loopback address: choose another for one of them`,
      })
    }
  return contradictions
}

function brokerSettings(settings: Settings): readonly Contradiction[] {
  const { mqttBroker, mqttCa, mqttCert, mqttKey, mqttPayload, mqttHomeAssistant } = settings
  const contradictions: Contradiction[] = []
  if (mqttPayload === 'sparkplug' && mqttHomeAssistant !== undefined)
    contradictions.push({
      keys: ['mqtt.home-assistant', 'mqtt.payload'],
      message: () => 'Home Assistant needs plain topics: set mqtt.payload to plain, or this to off',
    })
  if ((mqttCert === undefined) !== (mqttKey === undefined))
    contradictions.push({
      keys: ['mqtt.cert', 'mqtt.key'],
      message: (other) => `a client certificate needs both files: set ${other} too`,
    })
  if (mqttBroker?.startsWith('mqtt:') === true && [mqttCa, mqttCert].some((file) => file !== undefined))
    contradictions.push({
      keys: ['mqtt.broker', mqttCa === undefined ? 'mqtt.cert' : 'mqtt.ca'],
      message: (other) => `${other} needs TLS: begin the address with mqtts://`,
    })
  return contradictions
}

function samePaths({ machineIdPath, tlsCaPath }: Settings): readonly Contradiction[] {
  if (machineIdPath !== tlsCaPath) return []
  return [
    {
      keys: ['paths.tls-ca', 'paths.machine-id'],
      message: (other) => `${tlsCaPath} is ${other} too: choose another for one of them`,
    },
  ]
}
