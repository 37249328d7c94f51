import { decodeNotification, SdbpError } from '@slotwire/sdbp'

const NOTIFICATION = /^0x((?:[0-9A-Fa-f]{2})+)$/

/** What one reading of `notification` brought. */
export interface NotificationContent {
  /** Whole responses with something in them. */
  readonly payloads: readonly Uint8Array[]
  /** Why the rest makes no sense; undefined where everything does, or says that there is nothing. */
  readonly fault: string | undefined
}

/** Reads the responses, each `0x`, hexadecimal digits and NUL (wire-protocol.md section 3); of what makes no sense the last fault stays. */
export function notificationContentOf(content: string): NotificationContent {
  const payloads: Uint8Array[] = []
  let fault: string | undefined
  for (const text of textsIn(content)) {
    try {
      const payload = payloadOf(text)
      if (decodeNotification(payload) !== undefined) payloads.push(payload)
    } catch (error) {
      if (!(error instanceof SdbpError)) throw error
      fault = error.message
    }
  }
  return { payloads, fault }
}

/** What stands between the NULs; NULs alone make no sense, and are one text. */
function textsIn(content: string): string[] {
  const texts = content.split('\0').filter((text) => text !== '')
  return texts.length === 0 && content !== '' ? [content] : texts
}

function payloadOf(text: string): Uint8Array {
  const digits = NOTIFICATION.exec(text.trim())?.[1]
  if (digits === undefined) throw new SdbpError('truncated', 'what was read is not 0x and the digits of a response')
  return Uint8Array.from(Buffer.from(digits, 'hex'))
}
