import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { bundleSources } from '../build/bundle-sources.mjs'
import { pageFiles } from '../pack/package-files.mjs'
import { inRoot } from '../setup/root.mjs'
import { packaging } from './program-files.mjs'

/** @typedef {import('../pack/package-files.mjs').PackagedFile} PackagedFile */

const sources = await bundleSources({ contracts: 'modules/contracts.ts' })
/** @type {typeof import('../../modules/contracts.ts')} */
const contracts = await import(sources.contracts)

const UNITS = 'usr/lib/systemd/system'
const UNIT_SOURCES = join('packaging', 'systemd')
/** Template of the unit for the service of one module type. */
const SERVICE_UNIT = 'slotwire-service.service.in'
const DOCUMENTS = 'usr/share/doc/slotwire'
const UNIT = /\.(service|socket|target|slice|conf)$/

/** Files that the administrator may change. They survive an upgrade, and are removed when the package is purged. */
export const SETTINGS_FILES = ['etc/default/slotwire']

/**
 * The units and their drop-ins, by their path in systemd's folder: those in packaging/systemd, and one for each module type.
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

/** File names of the units. */
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
 * Files that connect the program with the system, and its documentation.
 * @returns {PackagedFile[]}
 */
export function systemFiles() {
  return [
    { to: 'etc/default/slotwire', content: packaging('slotwire.default') },
    { to: 'usr/lib/udev/rules.d/60-slotwire.rules', content: packaging('slotwire.rules') },
    ...[...unitFiles()].map(([path, content]) => ({ to: join(UNITS, path), content })),
    ...pageFiles().map(({ to, content }) => ({ to: join(DOCUMENTS, to), content })),
  ]
}

/**
 * Every file below a folder of the repository. Links count as their targets.
 * @param {string} folder
 * @returns {string[]}
 */
function below(folder) {
  return readdirSync(inRoot(folder)).flatMap((name) => {
    const path = join(folder, name)
    return statSync(inRoot(path)).isDirectory() ? below(path) : [path]
  })
}
