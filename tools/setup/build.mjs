import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { announce } from './progress.mjs'
import { inRoot } from './root.mjs'
import { run } from './run.mjs'

/**
 * Compiles what has changed. `extra` names projects beside those of the root's tsconfig.json.
 * @param {readonly string[]} [extra]
 * @returns {Promise<number>} the compiler's exit code
 */
export function build(extra = []) {
  for (const folder of [...projects(), ...extra])
    if (compilerWouldMiss(folder)) rmSync(inRoot(folder, 'dist'), { recursive: true })
  if (!existsSync(inRoot('apps', 'cli', 'dist', 'main.js'))) announce('Building…')
  return run(process.execPath, [inRoot('node_modules', 'typescript', 'bin', 'tsc'), '-b', '.', ...extra], { quiet: true })
}

function projects() {
  const { references } = /** @type {{ references: { path: string }[] }} */ (
    JSON.parse(readFileSync(inRoot('tsconfig.json'), 'utf8'))
  )
  return references.map(({ path }) => path)
}

/**
 * The compiler compares the dates of its sources with its last build. It misses a deleted output, the output of a source that was
 * removed, and a source that was replaced by an older file: such a project is built from nothing.
 * @param {string} folder of a project
 */
function compilerWouldMiss(folder) {
  if (!existsSync(inRoot(folder, 'dist'))) return false
  const record = inRoot(folder, 'dist', 'tsconfig.tsbuildinfo')
  const sources = sourcesIn(record)
  if (sources === undefined) return true
  const builtMs = statSync(record).mtimeMs
  return sources.some((source) => {
    const found = statSync(inRoot(folder, source), { throwIfNoEntry: false })
    const output = inRoot(folder, 'dist', source.replace(/^src\//, '').replace(/\.ts$/, '.js'))
    return found === undefined || !existsSync(output) || (found.mtimeMs <= builtMs && found.ctimeMs > builtMs)
  })
}

/**
 * The sources of a project that the compiler has compiled, relative to the project's folder.
 * @param {string} record which the compiler writes last
 * @returns {string[] | undefined} undefined: a build was interrupted
 */
function sourcesIn(record) {
  try {
    const { fileNames } = /** @type {{ fileNames: string[] }} */ (JSON.parse(readFileSync(record, 'utf8')))
    return fileNames.flatMap((file) => /^\.\.\/((?!\.\.\/|node_modules\/).*\.ts)$/.exec(file)?.[1] ?? [])
  } catch {
    return undefined
  }
}
