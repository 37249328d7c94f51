import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * A program that some tests need and npm does not bring. `commands`: any of these on the PATH will do; `debian`: the package that has it.
 * @typedef {{ commands: readonly string[], debian: string, purpose: string }} SystemProgram
 */

/** @satisfies {Record<string, SystemProgram>} */
export const systemPrograms = {
  chromium: {
    commands: ['chromium', 'chromium-browser', 'google-chrome'],
    debian: 'chromium',
    purpose: 'reads and tries the API page as a user does',
  },
  openssl: { commands: ['openssl'], debian: 'openssl', purpose: 'judges certificates and TLS from outside' },
  curl: { commands: ['curl'], debian: 'curl', purpose: 'follows the guides' },
  ip: { commands: ['ip'], debian: 'iproute2', purpose: 'makes hosts of their own on one machine: network namespaces' },
  avahi: { commands: ['avahi-daemon'], debian: 'avahi-daemon', purpose: 'is a real neighbour for discovery' },
  avahiBrowse: { commands: ['avahi-browse'], debian: 'avahi-utils', purpose: 'sees what a real neighbour sees' },
  nginx: { commands: ['nginx'], debian: 'nginx-light', purpose: 'is a real proxy in front' },
  caddy: { commands: ['caddy'], debian: 'caddy', purpose: 'is another real proxy in front' },
  promtool: { commands: ['promtool'], debian: 'prometheus', purpose: 'judges the metrics' },
}

/** Where Debian puts daemons; not on everybody's PATH. */
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin']

/** @typedef {keyof typeof systemPrograms} ProgramName */

/** Every name of the table. */
export const programNames = /** @type {ProgramName[]} */ (Object.keys(systemPrograms))

/**
 * Where a program is; undefined: not on this machine.
 * @param {ProgramName} name
 * @param {string} [path] folders as in PATH
 * @returns {string | undefined}
 */
export function findProgram(name, path = process.env['PATH'] ?? '') {
  const files = [...path.split(delimiter), ...SYSTEM_FOLDERS].flatMap((folder) =>
    systemPrograms[name].commands.map((command) => join(folder, command)),
  )
  return files.find(isExecutable)
}

/** @param {string} [path] folders as in PATH */
export function missingPrograms(path) {
  return programNames.filter((name) => findProgram(name, path) === undefined)
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
