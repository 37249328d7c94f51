/** Bytes from hexadecimal digits as in the wire document, spaces ignored: `01 04 01`. Throws for any other text. */
export function fromHex(text: string): Uint8Array {
  const digits = text.replaceAll(' ', '')
  if (!/^([0-9a-f]{2})*$/i.test(digits)) throw new Error(`not hexadecimal bytes: ${text}`)
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

/** `01 04 01`, upper case. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join(' ')
}
