import { existsSync } from 'node:fs'
import { inRoot } from './root.mjs'
import { announce, run } from './run.mjs'

/**
 * Compiles changed files. `extra` names projects that are not in the root's tsconfig.json.
 * @param {readonly string[]} [extra]
 * @returns {Promise<number>} the compiler's exit code
 */
export function build(extra = []) {
  if (!existsSync(inRoot('apps', 'cli', 'dist', 'main.js'))) announce('Building…')
  return run(process.execPath, [inRoot('node_modules', 'typescript', 'bin', 'tsc'), '-b', '.', ...extra], { quiet: true })
}
