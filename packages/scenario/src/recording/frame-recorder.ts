import type { Transfer } from '@slotwire/twin'

/** First line of a recording. */
export const RECORDING_HEADER = '# slotwire frames 1: twin time in µs, slot, frame of the host, frame of the module\n'
/** Approximate size of a written chunk, in characters. */
const PIECE_LENGTH = 65_536
const MICROSECONDS_PER_MS = 1000

/** One transfer as a line: `1200300 3 0102… 0304…`. */
export function formatTransfer({ atMs, slot, host, module }: Transfer): string {
  return `${Math.round(atMs * MICROSECONDS_PER_MS)} ${slot} ${hex(host)} ${hex(module)}\n`
}

/** Records every frame on the buses of a device as text. Its buffer is limited: `write` must have consumed a chunk when it returns. */
export class FrameRecorder {
  #waiting = RECORDING_HEADER

  constructor(private readonly write: (text: string) => void) {}

  /** Pass this to a chassis as `onTransfer`. */
  readonly onTransfer = (transfer: Transfer): void => {
    this.#waiting += formatTransfer(transfer)
    if (this.#waiting.length >= PIECE_LENGTH) this.flush()
  }

  /** Writes the rest of the buffer. Call at the end. */
  flush(): void {
    const piece = this.#waiting
    this.#waiting = ''
    if (piece !== '') this.write(piece)
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}
