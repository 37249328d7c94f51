import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { root } from './root.mjs'

const MS_PER_SECOND = 1000
const FORWARDED = /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP'])

/**
 * Prints what the project does and, after it, for how long; nothing with `npm -s`.
 * @param {string} text
 * @param {() => Promise<number>} action resolves with an exit code; prints its errors
 */
export async function announced(text, action) {
  const print = (/** @type {string} */ part) => process.env['npm_config_loglevel'] === 'silent' || process.stderr.write(part)
  const start = performance.now()
  print(`${text}… `)
  const code = await action()
  if (code === 0) print(`${((performance.now() - start) / MS_PER_SECOND).toFixed(1)} s\n`)
  return code
}

/**
 * Runs a program in the repository's root and resolves with its exit code. Forwards SIGTERM, SIGINT and SIGHUP, and then ends with the same
 * signal. A `quiet` program's output is printed on stderr, and only if it fails.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ quiet?: boolean, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<number>}
 */
export async function run(command, args, { quiet = false, env = process.env } = {}) {
  const child = spawn(command, args, { cwd: root, env, stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit' })
  /** @type {Buffer[]} */
  const output = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => output.push(chunk))
  /** @type {NodeJS.Signals | undefined} */
  let received
  /** @param {NodeJS.Signals} signal */
  const forward = (signal) => {
    received = signal
    child.kill(signal)
  }
  for (const signal of FORWARDED) process.on(signal, forward)
  const [code, signal] = /** @type {[number | null, NodeJS.Signals | null]} */ (await once(child, 'close'))
  for (const one of FORWARDED) process.off(one, forward)
  if (received !== undefined) process.kill(process.pid, received)
  if (signal !== null) process.stderr.write(`${command} was ended by ${signal}\n`)
  if (code !== 0) process.stderr.write(Buffer.concat([Buffer.from('\n'), ...output]))
  return code ?? 1
}
