let isHeard = false

/**
 * Writes on standard error, where that can be written: whoever does not hear what is wrong cannot be told that either. Until then the stream
 * is left alone: the runtime has pipes not block once it has it, and the log writes there by itself.
 */
export function hint(text: string): void {
  if (!isHeard) process.stderr.on('error', () => undefined)
  isHeard = true
  process.stderr.write(text)
}
