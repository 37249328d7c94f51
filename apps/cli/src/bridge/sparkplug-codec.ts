import type { SparkplugCodec } from '@slotwire/bridge'
import sparkplug from 'sparkplug-payload'
import type { UPayload } from 'sparkplug-payload/lib/sparkplugbpayload.js'

/** The encoding `spBv1.0`. */
export function sparkplugCodec(): SparkplugCodec {
  const codec = sparkplug.get('spBv1.0')
  if (codec === null) throw new Error('the package sparkplug-payload does not have spBv1.0')
  return {
    encode: (payload) => codec.encodePayload(payload as UPayload),
    decode: (bytes) => codec.decodePayload(bytes),
  }
}
