import { spawn } from 'node:child_process'
import { root } from './root.mjs'

const FORWARDED = /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP'])
/** What is kept of a quiet program's output, in characters: the end of it. */
const KEPT_OUTPUT = 200_000

/**
 * Runs a program in the repository's root and gives its exit code. A SIGTERM, SIGINT or SIGHUP to this process goes on to the program;
 * when that has ended, this process ends by the same signal. `quiet` programs are heard only when they fail, on stderr.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ quiet?: boolean, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<number>}
 */
export function run(command, args, { quiet = false, env = process.env } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, env, stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit' })
    let output = ''
    /** @param {string} text */
    const keep = (text) => {
      output = (output + text).slice(-KEPT_OUTPUT)
    }
    child.stdout?.setEncoding('utf8').on('data', keep)
    child.stderr?.setEncoding('utf8').on('data', keep)

    /** @type {NodeJS.Signals | undefined} */
    let received
    /** @param {NodeJS.Signals} signal */
    const forward = (signal) => {
      received = signal
      child.kill(signal)
    }
    for (const signal of FORWARDED) process.on(signal, forward)
    const release = () => {
      for (const signal of FORWARDED) process.off(signal, forward)
    }
    child.on('error', (error) => {
      release()
      reject(error)
    })
    child.on('close', (code, signal) => {
      release()
      if (received !== undefined) {
        process.kill(process.pid, received)
        return
      }
      if (signal !== null) output += `${command} was ended by ${signal}\n`
      if (code !== 0) process.stderr.write(output)
      resolve(code ?? 1)
    })
  })
}
