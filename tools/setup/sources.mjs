import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { inRoot, root } from './root.mjs'

/** @param {string} file */
const isInput = (file) => !/\.(test\.ts|testkit\.ts|tsbuildinfo)$/.test(file)

/** Folders of the projects that the root's tsconfig.json builds, relative to the root. */
export function projects() {
  const { references } = /** @type {{ references: { path: string }[] }} */ (
    JSON.parse(readFileSync(inRoot('tsconfig.json'), 'utf8'))
  )
  return references.map(({ path }) => path)
}

/**
 * Every file below a folder, relative to the root; without node_modules, and without the folders named.
 * @param {string} folder
 * @param {readonly string[]} [without]
 * @returns {string[]}
 */
export function filesBelow(folder, without = []) {
  /** @type {string[]} */
  const files = []
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (!entry.isDirectory()) files.push(path)
    else if (entry.name !== 'node_modules' && !without.includes(entry.name)) files.push(...filesBelow(path, without))
  }
  return files
}

/** The file that says which versions of foreign types a build sees. */
export const DEPENDENCIES = 'package-lock.json'

/**
 * What a build of these projects depends on: sources, settings, and the compiler's options.
 * @param {readonly string[]} folders
 */
export function buildInputs(folders) {
  const settings = [DEPENDENCIES, 'package.json', ...readdirSync(root).filter((name) => /^tsconfig.*\.json$/.test(name))]
  return [...settings, ...folders.flatMap((folder) => filesBelow(folder, ['dist']))].filter(isInput)
}

/**
 * What tells a version of a file from any other without reading it. The change time is the kernel's: copying with old dates does not
 * hide a change from it.
 * @param {readonly string[]} files
 * @returns {Record<string, string>}
 */
export function fingerprint(files) {
  return Object.fromEntries(
    files.map((file) => {
      const { size, mtimeMs, ctimeMs, ino } = statSync(join(root, file))
      return [file, `${size} ${mtimeMs} ${ctimeMs} ${ino}`]
    }),
  )
}
