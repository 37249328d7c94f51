import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { announce } from './progress.mjs'
import { inRoot } from './root.mjs'
import { run } from './run.mjs'
import { buildInputs, DEPENDENCIES, filesBelow, fingerprint, projects } from './sources.mjs'
import { readStamp, writeStamp } from './stamp.mjs'

/**
 * What the last build was made from and what came out. Without outputs it failed or was interrupted; `whole`: it was to compile everything.
 * @typedef {{ inputs: Record<string, string>, outputs: Record<string, string> | null, whole: boolean }} Stamp
 */

/**
 * Compiles what has changed; without starting the compiler when nothing has. `extra` names projects beside those of the root's
 * tsconfig.json.
 * @param {readonly string[]} [extra]
 * @returns {Promise<number>} the compiler's exit code
 */
export async function build(extra = []) {
  const folders = [...projects(), ...extra]
  const stampFile = inRoot('dist', `build${extra.map((name) => `-${name}`).join('')}.json`)
  const last = /** @type {Stamp | undefined} */ (readStamp(stampFile))
  const inputs = fingerprint(buildInputs(folders))
  const before = fingerprint(outputs(folders))
  if (last !== undefined && isDeepStrictEqual(last.inputs, inputs) && isDeepStrictEqual(last.outputs, before)) return 0

  announce('Building…')
  const whole = last === undefined || compilerWouldMiss(last, inputs, before, stampFile)
  // First of all, so that an interrupted build is known as one.
  writeStamp(stampFile, { inputs, outputs: null, whole })
  removeOrphans(folders)
  const compiler = inRoot('node_modules', 'typescript', 'bin', 'tsc')
  const code = await run(process.execPath, [compiler, '-b', '.', ...extra, ...(whole ? ['--force'] : [])], { quiet: true })
  writeStamp(stampFile, { inputs, outputs: code === 0 ? fingerprint(outputs(folders)) : null, whole: false })
  return code
}

/**
 * The compiler looks for sources younger than its last build: it misses older ones put in place of others, other dependencies, and
 * outputs that were touched.
 * @param {Stamp} last
 * @param {Record<string, string>} inputs
 * @param {Record<string, string>} before
 * @param {string} stampFile
 */
function compilerWouldMiss(last, inputs, before, stampFile) {
  if (last.outputs === null && last.whole) return true
  if (inputs[DEPENDENCIES] !== last.inputs[DEPENDENCIES]) return true
  const built = statSync(stampFile).mtimeMs
  const replaced = Object.keys(inputs).some(
    (file) => inputs[file] !== last.inputs[file] && statSync(inRoot(file)).mtimeMs <= built,
  )
  const removed = Object.keys(last.inputs).some((file) => !(file in inputs))
  return replaced || removed || (last.outputs !== null && touched(last.outputs, before))
}

/**
 * Whether outputs are no longer what was built, although the compiler was not run since.
 * @param {Record<string, string>} built
 * @param {Record<string, string>} found
 */
function touched(built, found) {
  const records = Object.keys(built).filter((file) => file.endsWith('.tsbuildinfo'))
  return records.every((file) => built[file] === found[file]) && !isDeepStrictEqual(built, found)
}

/**
 * What the compiler has written.
 * @param {readonly string[]} folders
 */
function outputs(folders) {
  return folders.flatMap((folder) => {
    const dist = join(folder, 'dist')
    const inDist = existsSync(inRoot(dist)) ? filesBelow(dist) : []
    const record = join(folder, 'tsconfig.tsbuildinfo')
    const beside = existsSync(inRoot(record)) ? [record] : []
    return [...beside, ...inDist.filter((file) => /\.(js|d\.ts|tsbuildinfo)$/.test(file))]
  })
}

/**
 * Removes what was compiled from sources that are gone: nothing can import it by mistake.
 * @param {readonly string[]} folders
 */
function removeOrphans(folders) {
  for (const folder of folders) {
    const sources = existsSync(inRoot(folder, 'src')) ? 'src' : '.'
    for (const file of outputs([folder])) {
      const stem = file.slice(join(folder, 'dist').length + 1).match(/^(.*?)(\.d\.ts|\.js)$/)?.[1]
      if (stem === undefined || existsSync(inRoot(folder, sources, `${stem}.ts`))) continue
      for (const ending of ['.js', '.d.ts', '.d.ts.map']) rmSync(inRoot(folder, 'dist', `${stem}${ending}`), { force: true })
    }
  }
}
