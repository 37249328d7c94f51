import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch as watchFiles } from 'node:fs'
import { join } from 'node:path'
import { build } from '../setup/build.mjs'
import { inRoot } from '../setup/root.mjs'
import { BUILT } from './program.mjs'

const FOLDERS = ['apps', 'modules', 'packages']
const NOT_SOURCE = /(^|\/)(dist|node_modules)(\/|$)/
/** An editor writes several files at once. */
const SETTLE_MS = 100

/**
 * Runs the command, and after each change of a source builds and runs it again. Never returns.
 * @param {readonly string[]} args
 */
export async function watch(args) {
  const run = () => spawn(process.execPath, [join(BUILT, 'main.js'), ...args], { stdio: 'inherit' })
  let child = run()
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
    process.on(signal, () => {
      child.once('close', () => process.exit())
      child.kill(signal)
    })
  }
  const changes = new EventTarget()
  for (const folder of FOLDERS) {
    watchFiles(inRoot(folder), { recursive: true }, (_, name) => {
      if (name !== null && !NOT_SOURCE.test(name)) changes.dispatchEvent(new Event('change'))
    })
  }
  for (;;) {
    await once(changes, 'change')
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
    if ((await build()) !== 0) continue
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
    child = run()
  }
}
