import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { inRoot } from '../setup/root.mjs'
import { packaging } from './program-files.mjs'

/** @typedef {import('./program-files.mjs').PackagedFile} PackagedFile */

const UNITS = 'usr/lib/systemd/system'
const DOCUMENTS = 'usr/share/doc/slotwire'
/** What people read who run a device, and what those pages link to; in the folders of the repository, so that links between them hold. */
const PAGES = ['README.md', 'CONTRIBUTING.md', 'LICENSE', 'docs', 'examples']
const UNIT = /\.(service|socket|target|slice|conf)$/
const PAGE = /\.(md|ya?ml|json)$|^LICENSE$/

/** Files that whoever runs the device may change: they survive an upgrade, and go when the package is purged. */
export const SETTINGS_FILES = ['etc/default/slotwire']

/** Names of the units, each with its ending. */
export function unitNames() {
  return readdirSync(inRoot('packaging', 'systemd')).filter((name) => /\.(service|socket|target|slice)$/.test(name))
}

/**
 * What ties the program to the system, and what tells of it.
 * @returns {PackagedFile[]}
 */
export function systemFiles() {
  const units = below(join('packaging', 'systemd')).filter((file) => UNIT.test(file))
  const pages = PAGES.flatMap((path) => (statSync(inRoot(path)).isDirectory() ? below(path) : [path]))
  return [
    { to: 'etc/default/slotwire', content: packaging('slotwire.default') },
    { to: 'usr/lib/udev/rules.d/60-slotwire.rules', content: packaging('slotwire.rules') },
    ...units.map((file) => copy(file, join(UNITS, file.slice('packaging/systemd/'.length)))),
    ...pages.filter((file) => PAGE.test(file)).map((file) => copy(file, join(DOCUMENTS, file))),
  ]
}

/**
 * @param {string} file
 * @param {string} to
 */
function copy(file, to) {
  return { to, content: readFileSync(inRoot(file)) }
}

/**
 * Every file below a folder, in the repository; a link is what it leads to.
 * @param {string} folder
 * @returns {string[]}
 */
function below(folder) {
  return readdirSync(inRoot(folder)).flatMap((name) => {
    const path = join(folder, name)
    return statSync(inRoot(path)).isDirectory() ? below(path) : [path]
  })
}
