import { announced } from './run.mjs'

/**
 * Bundles the command and the console. Prints the faults of the sources.
 * @param {() => Promise<void>} [bundled] bundles something else
 * @returns {Promise<number>} an exit code
 */
export function build(bundled) {
  return announced('Building', async () => {
    // The bundler is there only after the installation.
    const { buildProgram } = await import('../build/program.mjs')
    const { formatMessages, stop } = await import('esbuild')
    try {
      await (bundled ?? buildProgram)()
      return 0
    } catch (error) {
      const { errors } = /** @type {Partial<import('esbuild').BuildFailure>} */ (error)
      if (errors === undefined) throw error
      process.stderr.write(`\n${(await formatMessages(errors, { kind: 'error', color: process.stderr.isTTY })).join('')}`)
      return 1
    } finally {
      await stop()
    }
  })
}
