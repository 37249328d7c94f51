import { isLoopback, isUnspecified } from './addresses.ts'
import type { Settings } from './settings.ts'

/** What settings may say each for itself, but not together. */
export interface Contradiction {
  /** Told at the first of them that is in the file. */
  readonly keys: readonly string[]
  /** `other` is the key at which it is not told. */
  readonly message: (other: string) => string
}

/** Contradictions between settings that are right one by one. */
export function contradictionsIn(settings: Settings): readonly Contradiction[] {
  return [...overlappingAddresses(settings), ...samePorts(settings), ...samePaths(settings)]
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

function samePorts({ loopbackPort, httpsPort, httpPort, listen }: Settings): readonly Contradiction[] {
  const network = { 'doors.http-port': httpPort, 'doors.https-port': httpsPort }
  // Port 0 is another one each time.
  const same = (one: number | undefined, other: number) => one === other && one !== 0
  const contradictions: Contradiction[] = []
  if (same(httpPort, httpsPort)) {
    contradictions.push({
      keys: Object.keys(network),
      message: (other) => `${httpsPort} is ${other} too: choose another for one of them`,
    })
  }
  if (!listen.some((address) => isUnspecified(address) || isLoopback(address))) return contradictions
  for (const [key, port] of Object.entries(network)) {
    if (!same(port, loopbackPort)) continue
    contradictions.push({
      keys: [key, 'doors.loopback-port'],
      message: (other) =>
        `${loopbackPort} is ${other} too, and doors.listen has a loopback address: choose another for one of them`,
    })
  }
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
