import { PackError } from './pack-error.mjs'

/**
 * An entry of package-lock.json.
 * @typedef {{
 *   version?: string, license?: string, resolved?: string, link?: boolean, hasInstallScript?: boolean,
 *   os?: string[], cpu?: string[], dependencies?: Record<string, string>, optionalDependencies?: Record<string, string>,
 * }} LockEntry
 * @typedef {{ packages: Record<string, LockEntry> }} Lock
 */

/**
 * A foreign package that is needed at run time. `folder` is in the repository, and the same below the installed program.
 * @typedef {{ name: string, version: string, license: string, folder: string }} RuntimePackage
 */

const NODE_MODULES = 'node_modules/'

/**
 * What one package of the repository needs at run time: the dependencies that it and our own packages below it declare, and all foreign
 * packages that come with those.
 * @param {Lock} lock
 * @param {string} start its folder
 * @param {readonly string[]} [bundled] names of foreign packages whose code is in ours: they are not installed
 * @returns {{ dependencies: Record<string, string>, foreign: RuntimePackage[] }}
 */
export function runtimePackages({ packages }, start, bundled = []) {
  /** @type {Record<string, string>} */
  const dependencies = {}
  const folders = new Set([start])
  for (const from of folders) {
    const entry = packages[from]
    if (entry === undefined) throw new PackError(`package-lock.json has no ${from}`)
    for (const [name, version] of Object.entries({ ...entry.dependencies, ...entry.optionalDependencies })) {
      if (bundled.includes(name)) continue
      const folder = folderOf(packages, from, name)
      folders.add(folder)
      if (isForeign(from) || !isForeign(folder)) continue
      // One bundle finds one version of a package: the one at the top.
      if (folder !== NODE_MODULES + name || (dependencies[name] ?? version) !== version) {
        throw new PackError(`our packages need different versions of ${name}: write the same version in each package.json`)
      }
      dependencies[name] = version
    }
  }
  const sorted = Object.entries(dependencies).sort(([a], [b]) => (a < b ? -1 : 1))
  const foreign = [...folders].filter(isForeign).map((folder) => {
    const entry = /** @type {LockEntry} */ (packages[folder])
    // Of a foreign package only the code is taken: its scripts never run.
    if (!isForeign(start)) requirePlainCode(folder, entry)
    return described(folder, entry)
  })
  return { dependencies: Object.fromEntries(sorted), foreign }
}

/** @param {string} folder */
function isForeign(folder) {
  return folder.includes(NODE_MODULES)
}

/**
 * @param {string} folder
 * @param {LockEntry} entry
 */
function requirePlainCode(folder, { hasInstallScript, os, cpu }) {
  if (hasInstallScript !== true && os === undefined && cpu === undefined) return
  throw new PackError(`${nameOf(folder)} has machine-specific code; Slotwire must work on all machines`)
}

/** @param {string} folder */
function nameOf(folder) {
  return folder.slice(folder.lastIndexOf(NODE_MODULES) + NODE_MODULES.length)
}

/**
 * @param {string} folder
 * @param {LockEntry} entry
 * @returns {RuntimePackage}
 */
function described(folder, { version = '', license = '' }) {
  return { name: nameOf(folder), version, license, folder }
}

/**
 * The folder in which Node.js finds a package, searching upwards from another package's folder.
 * @param {Lock['packages']} packages
 * @param {string} from
 * @param {string} name
 */
function folderOf(packages, from, name) {
  const parts = from.split('/')
  for (let depth = parts.length; depth >= 0; depth -= 1) {
    const folder = [...parts.slice(0, depth), 'node_modules', name].join('/')
    const entry = packages[folder]
    if (entry !== undefined) return entry.link === true ? (entry.resolved ?? folder) : folder
  }
  throw new PackError(`package-lock.json has no ${name}, which ${from} needs`)
}
