import type { Transfer } from '@slotwire/twin'

/** The first line of a recording. */
export const RECORDING_HEADER = '# slotwire frames 1: twin time in µs, slot, frame of the host, frame of the module\n'
/** Lines are written in pieces of about so many characters. */
const PIECE_LENGTH = 65_536
const MICROSECONDS_PER_MS = 1000

/** One transfer as a line: `1200300 3 0102… 0304…`. */
export function formatTransfer({ atMs, slot, host, module }: Transfer): string {
  return `${Math.round(atMs * MICROSECONDS_PER_MS)} ${slot} ${hex(host)} ${hex(module)}\n`
}

/** Keeps every frame on the buses of a device as lines of text. What it holds back is bounded: `write` must have taken a piece when it returns. */
export class FrameRecorder {
  readonly #write: (text: string) => void
  #waiting = RECORDING_HEADER
  #frames = 0

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  /** Transfers so far. */
  get frames(): number {
    return this.#frames
  }

  /** For `onTransfer` of a chassis. */
  readonly onTransfer = (transfer: Transfer): void => {
    this.#frames++
    this.#waiting += formatTransfer(transfer)
    if (this.#waiting.length >= PIECE_LENGTH) this.flush()
  }

  /** Writes what waits: at the end. */
  flush(): void {
    const piece = this.#waiting
    this.#waiting = ''
    if (piece !== '') this.#write(piece)
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}
