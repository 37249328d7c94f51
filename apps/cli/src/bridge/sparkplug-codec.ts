import type { SparkplugCodec } from '@slotwire/bridge'
import { UsageError } from '../terminal/usage-error.ts'
import type { BridgeCommandOptions } from './bridge-options.ts'
import { optionalPackage, type SparkplugPackage } from './optional-packages.ts'

/** What encodes `--payload sparkplug`; undefined for plain topics. Throws `UsageError`. */
export async function codecOf({ payload, homeAssistant }: BridgeCommandOptions): Promise<SparkplugCodec | undefined> {
  if (payload === 'plain') return undefined
  if (homeAssistant !== undefined)
    throw new UsageError('--home-assistant needs plain topics: run a second bridge, or leave out --payload sparkplug')
  return sparkplugCodec()
}

/** Loads the package `sparkplug-payload`. Throws `UsageError` if it is missing: it is no dependency, because few need it. */
async function sparkplugCodec(): Promise<SparkplugCodec> {
  const loaded = await optionalPackage('sparkplug-payload').catch((error: unknown) => {
    throw new UsageError('--payload sparkplug needs the package sparkplug-payload: npm install sparkplug-payload', {
      cause: error,
    })
  })
  const codec = (loaded as SparkplugPackage).get('spBv1.0')
  if (codec === null) throw new UsageError('the package sparkplug-payload is too old: npm install sparkplug-payload@1')
  return {
    encode: (payload) => codec.encodePayload(payload),
    decode: (bytes) => codec.decodePayload(bytes),
  }
}
