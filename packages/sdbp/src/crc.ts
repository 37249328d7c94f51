const POLYNOMIAL = 0x1021

const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte << 8
  for (let bit = 0; bit < 8; bit++) remainder = remainder & 0x8000 ? (remainder << 1) ^ POLYNOMIAL : remainder << 1
  return remainder & 0xffff
})

/** CRC-16/XMODEM over the first `length` bytes; wire-protocol.md section 1. */
export function crc16(data: Uint8Array, length = data.length): number {
  let remainder = 0
  for (let index = 0; index < length; index++) {
    remainder = ((remainder << 8) & 0xffff) ^ (TABLE[(remainder >>> 8) ^ (data[index] as number)] as number)
  }
  return remainder
}
