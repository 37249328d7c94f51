let hasErrorListener = false

/**
 * Writes on standard error and ignores failures: there is nowhere to report them. Touches the stream only when needed: once used, Node.js
 * makes its pipe non-blocking, and the log writes there too.
 */
export function hint(text: string): void {
  if (!hasErrorListener) process.stderr.on('error', () => undefined)
  hasErrorListener = true
  process.stderr.write(text)
}
