import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as contracts from '@slotwire/modules/contracts'
import { inRoot } from '../setup/root.mjs'
import { packaging } from './program-files.mjs'

/** @typedef {import('./program-files.mjs').PackagedFile} PackagedFile */

const UNITS = 'usr/lib/systemd/system'
const UNIT_SOURCES = join('packaging', 'systemd')
/** The unit of a service of one module type, with names in the place of which come those of the type. */
const SERVICE_UNIT = 'slotwire-service.service.in'
const DOCUMENTS = 'usr/share/doc/slotwire'
/** What people read who run a device, and what those pages link to; in the folders of the repository, so that links between them hold. */
const PAGES = ['README.md', 'CONTRIBUTING.md', 'LICENSE', 'docs', 'examples']
const UNIT = /\.(service|socket|target|slice|conf)$/
const PAGE = /\.(md|ya?ml|json)$|^LICENSE$/

/** Files that whoever runs the device may change: they survive an upgrade, and go when the package is purged. */
export const SETTINGS_FILES = ['etc/default/slotwire']

/**
 * The units and what is added to them, by their path in systemd's folder: those of packaging/systemd, and one for each module type.
 * @returns {ReadonlyMap<string, string>}
 */
export function unitFiles() {
  const written = below(UNIT_SOURCES).filter((file) => UNIT.test(file))
  return new Map([
    ...written.map((file) => /** @type {const} */ ([file.slice(UNIT_SOURCES.length + 1), readFileSync(inRoot(file), 'utf8')])),
    ...Object.values(contracts).map(
      (contract) => /** @type {const} */ ([`slotwire-${contract.service}.service`, unitOf(contract)]),
    ),
  ])
}

/** Names of the units, each with its ending. */
export function unitNames() {
  return [...unitFiles().keys()].filter((path) => !path.includes('/')).sort()
}

/** @param {import('@slotwire/contract').Contract} contract */
function unitOf({ service, port }) {
  return readFileSync(inRoot(UNIT_SOURCES, SERVICE_UNIT), 'utf8')
    .replaceAll('@SERVICE@', service)
    .replaceAll('@CAPITALS@', service.toUpperCase())
    .replaceAll('@PORT@', String(port))
}

/**
 * What ties the program to the system, and what tells of it.
 * @returns {PackagedFile[]}
 */
export function systemFiles() {
  const pages = PAGES.flatMap((path) => (statSync(inRoot(path)).isDirectory() ? below(path) : [path]))
  return [
    { to: 'etc/default/slotwire', content: packaging('slotwire.default') },
    { to: 'usr/lib/udev/rules.d/60-slotwire.rules', content: packaging('slotwire.rules') },
    ...[...unitFiles()].map(([path, content]) => ({ to: join(UNITS, path), content })),
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
