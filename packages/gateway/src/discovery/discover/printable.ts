/** What moves a terminal's cursor, turns writing round or is no character: anybody in the network can announce it. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu

/** Text from strangers, as it may be shown. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, '\ufffd')
}
