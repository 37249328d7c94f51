import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { LICENCE } from '../pack/licences.mjs'
import { inRoot } from '../setup/root.mjs'

/** Folders of a foreign package that its code does not use. */
const ASIDE = /^(tests?|e2e|docs?|examples?|benchmarks?|integration|scripts|browser)$/
const FOR_DEVELOPERS =
  /(^\.|\.(d\.[cm]?ts|[cm]?ts|map|md|markdown|flow|tsbuildinfo|sh|ya?ml|html?|svg|ico)$|\.test\.[cm]?js$|^(eslint|playwright)\.config\.|^tsconfig.*\.json$|^(test\.js|CNAME)$)/i
/** Files of web pages, whatever their names. */
const PAGES = /^static\//

/**
 * Files that a foreign package needs at run time, relative to its folder. Licences are collected elsewhere.
 * @param {string} folder of the package, in the repository
 */
export function foreignFiles(folder) {
  return filesOf(folder, (name) => ASIDE.test(name) || name.startsWith('.')).filter(
    (file) => PAGES.test(file) || (!FOR_DEVELOPERS.test(lastPart(file)) && !LICENCE.test(file)),
  )
}

/**
 * Every file below a folder, sorted, without nested packages.
 * @param {string} folder
 * @param {(name: string) => boolean} [without] whether to skip a direct subfolder
 * @returns {string[]}
 */
function filesOf(folder, without = () => false) {
  return readdirSync(inRoot(folder), { withFileTypes: true })
    .flatMap((entry) => {
      if (!entry.isDirectory()) return [entry.name]
      if (entry.name === 'node_modules' || without(entry.name)) return []
      return filesOf(join(folder, entry.name)).map((file) => join(entry.name, file))
    })
    .sort()
}

/** @param {string} file */
function lastPart(file) {
  return file.slice(file.lastIndexOf('/') + 1)
}
