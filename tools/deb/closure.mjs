import { DebError } from './deb-error.mjs'

/**
 * An entry of package-lock.json.
 * @typedef {{
 *   name?: string, version?: string, license?: string, resolved?: string, link?: boolean, hasInstallScript?: boolean,
 *   os?: string[], cpu?: string[], dependencies?: Record<string, string>, optionalDependencies?: Record<string, string>,
 * }} LockEntry
 * @typedef {{ packages: Record<string, LockEntry> }} Lock
 */

/**
 * A package needed at run time. `from`: its folder in the repository; `to`: its folder when installed; `own`: whether it is one of the
 * repository's own, compiled.
 * @typedef {{ name: string, version: string, license: string, from: string, to: string, own: boolean }} RuntimePackage
 */

const NODE_MODULES = 'node_modules/'

/**
 * The packages that one package of the repository needs at run time, itself first.
 * @param {Lock} lock
 * @param {string} start its folder
 * @returns {RuntimePackage[]}
 */
export function runtimePackages({ packages }, start) {
  /** @type {Map<string, RuntimePackage>} */
  const found = new Map()
  const open = [start]
  for (let from = open.shift(); from !== undefined; from = open.shift()) {
    if (found.has(from)) continue
    const entry = packages[from]
    if (entry === undefined) throw new DebError(`package-lock.json has no ${from}`)
    found.set(from, described(packages, from, entry))
    for (const name of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) {
      open.push(folderOf(packages, from, name))
    }
  }
  return [...found.values()]
}

/**
 * @param {Lock['packages']} packages
 * @param {string} from
 * @param {LockEntry} entry
 * @returns {RuntimePackage}
 */
function described(packages, from, entry) {
  const own = !from.includes(NODE_MODULES)
  const name = own ? ownName(packages, from) : from.slice(from.lastIndexOf(NODE_MODULES) + NODE_MODULES.length)
  if (entry.hasInstallScript === true || entry.os !== undefined || entry.cpu !== undefined) {
    throw new DebError(`${name} has machine-specific code; the Debian package must work on all machines`)
  }
  return { name, version: entry.version ?? '', license: entry.license ?? '', from, to: destination(packages, from), own }
}

/**
 * Where a folder of the repository is installed. Own packages are beside those that they need.
 * @param {Lock['packages']} packages
 * @param {string} from
 */
function destination(packages, from) {
  const at = from.indexOf(NODE_MODULES)
  if (at === 0) return from
  const workspace = at < 0 ? from : from.slice(0, at - 1)
  return `${NODE_MODULES}${ownName(packages, workspace)}${from.slice(workspace.length)}`
}

/**
 * The name with which other packages import a package of the repository.
 * @param {Lock['packages']} packages
 * @param {string} folder
 */
function ownName(packages, folder) {
  const link = Object.entries(packages).find(([, entry]) => entry.link === true && entry.resolved === folder)
  if (link === undefined) throw new DebError(`package-lock.json has no link to ${folder}`)
  return link[0].slice(NODE_MODULES.length)
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
  throw new DebError(`package-lock.json has no ${name}, which ${from} needs`)
}
