import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { below, pageFiles } from '../pack/package-files.mjs'
import { inRoot } from '../setup/root.mjs'
import { packaging } from './program-files.mjs'

/** @typedef {import('../pack/package-files.mjs').PackagedFile} PackagedFile */

const UNITS = 'usr/lib/systemd/system'
const UNIT_SOURCES = join('packaging', 'systemd')
const DOCUMENTS = 'usr/share/doc/slotwire'
const UNIT = /\.(service|socket|target|slice|conf)$/

/** Files that the administrator may change. They survive an upgrade, and are removed when the package is purged. */
export const SETTINGS_FILES = ['etc/default/slotwire']

/**
 * The units and their drop-ins, by their path in systemd's folder.
 * @returns {ReadonlyMap<string, string>}
 */
export function unitFiles() {
  const written = below(UNIT_SOURCES).filter((file) => UNIT.test(file))
  return new Map(written.map((file) => [file.slice(UNIT_SOURCES.length + 1), readFileSync(inRoot(file), 'utf8')]))
}

/** File names of the units. */
export function unitNames() {
  return [...unitFiles().keys()].filter((path) => !path.includes('/')).sort()
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
