import { createInterface } from 'node:readline/promises'

/** Asks a user yes or no on a terminal. Ctrl-C, Ctrl-D, a terminal that closes and a stop signal are no. */
export function askOn(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  stopped: () => Promise<unknown>,
): (question: string) => Promise<boolean> {
  return async (question) => {
    const lines = createInterface({ input, output })
    const end = new AbortController()
    void stopped().then(() => end.abort())
    try {
      return /^y(es)?$/i.test((await lines.question(question, { signal: end.signal })).trim())
    } catch {
      output.write('\n')
      return false
    } finally {
      lines.close()
    }
  }
}
