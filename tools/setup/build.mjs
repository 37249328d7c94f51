import { announced } from './run.mjs'

/** For a package that npm did not install: the bundler is a program for each machine. */
const REMEDY = '\nRemove the folder node_modules, then try again: npm installs everything for this machine.\n'

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
      const { errors, stack } = /** @type {Partial<import('esbuild').BuildFailure> & Error} */ (error)
      const faults = errors && (await formatMessages(errors, { kind: 'error', color: process.stderr.isTTY }))
      process.stderr.write(`\n${faults === undefined ? `${stack}${REMEDY}` : faults.join('')}`)
      return 1
    } finally {
      await stop()
    }
  })
}
