import { basename, relative } from 'node:path'
import { LICENCE } from '../pack/licences.mjs'
import { below } from '../pack/package-files.mjs'

/** Folders of a foreign package that its code does not use, and packages within it. */
const ASIDE = /^(\..+|tests?|e2e|docs?|examples?|benchmarks?|integration|scripts|browser)\/|(^|\/)node_modules\//
const FOR_DEVELOPERS =
  /(^\.|\.(d\.[cm]?ts|[cm]?ts|map|md|markdown|flow|tsbuildinfo|sh|ya?ml|html?|svg|ico)$|\.test\.[cm]?js$|^(eslint|playwright)\.config\.|^tsconfig.*\.json$|^(test\.js|CNAME)$)/i
/** Files of web pages, whatever their names. */
const PAGES = /^static\//

/**
 * Files that a foreign package needs at run time, relative to its folder, sorted. Licences are collected elsewhere.
 * @param {string} folder of the package, in the repository
 */
export function foreignFiles(folder) {
  const files = below(folder).map((path) => relative(folder, path))
  const own = files.filter((file) => !ASIDE.test(file))
  return own.filter((file) => PAGES.test(file) || !(FOR_DEVELOPERS.test(basename(file)) || LICENCE.test(file))).sort()
}
