import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { inRoot } from '../setup/root.mjs'

/** Folders of a foreign package that its code does not use. */
const ASIDE = /^(tests?|e2e|docs?|examples?|benchmarks?|integration|scripts|browser)$/
const FOR_DEVELOPERS =
  /(^\.|\.(d\.[cm]?ts|[cm]?ts|map|md|markdown|flow|tsbuildinfo|sh|ya?ml|html?|svg|ico)$|\.test\.[cm]?js$|^(eslint|playwright)\.config\.|^tsconfig.*\.json$|^(test\.js|CNAME)$)/i
/** Files of web pages, whatever their names. */
const PAGES = /^static\//
const LICENCE = /^(licen[cs]e|copying|notice)/i

/**
 * Files that a foreign package needs at run time, relative to its folder. Licences are collected elsewhere.
 * @param {string} folder of the package, in the repository
 */
export function foreignFiles(folder) {
  return filesOf(folder, (name) => ASIDE.test(name) || name.startsWith('.')).filter(
    (file) => PAGES.test(file) || (!FOR_DEVELOPERS.test(lastPart(file)) && !LICENCE.test(file)),
  )
}

/** Sources that are used as they are: Perl programs, and the files of the API page. */
const UNCOMPILED = /\.(pl|html|css|js|svg)$/

/**
 * Compiled files of an own package, and sources that are used as they are, relative to its folder.
 * @param {string} folder of the package, in the repository
 */
export function compiledFiles(folder) {
  const compiled = filesOf(join(folder, 'dist')).filter(
    (file) => /\.m?js$/.test(file) && isOfSource(folder, file.replace(/\.js$/, '.ts')),
  )
  const programs = existsSync(inRoot(folder, 'src')) ? filesOf(join(folder, 'src')).filter((file) => UNCOMPILED.test(file)) : []
  return [...compiled.map((file) => join('dist', file)), ...programs.map((file) => join('src', file))]
}

/**
 * Whether a compiled file still has its source: the compiler does not delete old output.
 * @param {string} folder
 * @param {string} source
 */
function isOfSource(folder, source) {
  return ['src', '.'].some((sources) => existsSync(inRoot(folder, sources, source)))
}

/**
 * Licence files of a package.
 * @param {string} folder
 */
export function licenceFiles(folder) {
  return readdirSync(inRoot(folder))
    .filter((name) => LICENCE.test(name))
    .sort()
}

/**
 * Every file below a folder, sorted, without nested packages.
 * @param {string} folder
 * @param {(name: string) => boolean} [without] whether to skip a direct subfolder
 * @returns {string[]}
 */
export function filesOf(folder, without = () => false) {
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
