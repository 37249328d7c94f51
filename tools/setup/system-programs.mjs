import { spawnSync } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * A program that some tests need and npm does not bring. `commands`: any of these on the PATH will do; `debian`: the package that has it;
 * `trial`: options with which it must succeed, for what not everybody may do.
 * @typedef {{ commands: readonly string[], debian: string, purpose: string, trial?: readonly string[] }} SystemProgram
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
  ip: { commands: ['ip'], debian: 'iproute2', purpose: 'joins hosts of their own on one machine by networks' },
  namespaces: {
    commands: ['unshare'],
    debian: 'util-linux',
    purpose: 'makes hosts of their own on one machine; only root may',
    trial: ['--net', '--mount', '--uts', 'true'],
  },
  avahi: { commands: ['avahi-daemon'], debian: 'avahi-daemon', purpose: 'is a real neighbour for discovery' },
  avahiBrowse: { commands: ['avahi-browse'], debian: 'avahi-utils', purpose: 'sees what a real neighbour sees' },
  nginx: { commands: ['nginx'], debian: 'nginx-light', purpose: 'is a real proxy in front' },
  caddy: { commands: ['caddy'], debian: 'caddy', purpose: 'is another real proxy in front' },
  socat: { commands: ['socat'], debian: 'socat', purpose: 'is the other end of a slot on the real system calls' },
  systemd: {
    commands: ['../lib/systemd/systemd'],
    debian: 'systemd',
    purpose: 'runs the units, as the first process of a system of its own',
    trial: ['--version'],
  },
  systemdAnalyze: {
    commands: ['systemd-analyze'],
    debian: 'systemd',
    purpose: 'judges the units and how much of the machine they leave open',
  },
  systemdNotify: { commands: ['systemd-notify'], debian: 'systemd', purpose: 'tells systemd how a service is' },
  perl: { commands: ['perl'], debian: 'perl-base', purpose: 'is the end of systemd at which a service tells how it is' },
  fuser: { commands: ['fuser'], debian: 'psmisc', purpose: 'shows who has a slot open' },
  debianNode: {
    commands: ['dpkg'],
    debian: 'nodejs',
    purpose: 'is the Node.js that the Debian package needs, as a package of the system',
    trial: ['--status', 'nodejs'],
  },
  dpkgDeb: { commands: ['dpkg-deb'], debian: 'dpkg', purpose: 'makes the Debian package' },
  mmdebstrap: { commands: ['mmdebstrap'], debian: 'mmdebstrap', purpose: 'makes a bare Debian to install the package into' },
  debianArchive: {
    commands: ['curl'],
    debian: 'curl',
    purpose: 'reaches deb.debian.org over the network, where the bare Debian comes from',
    trial: ['-sfI', '--max-time', '8', 'http://deb.debian.org/debian/dists/trixie/InRelease'],
  },
  strace: {
    commands: ['strace'],
    debian: 'strace',
    purpose: 'sees which files a program opens',
    trial: ['--output=/dev/null', 'true'],
  },
  promtool: { commands: ['promtool'], debian: 'prometheus', purpose: 'judges the metrics' },
}

/** Where Debian puts daemons; not on everybody's PATH. */
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin']

/** @typedef {keyof typeof systemPrograms} ProgramName */

/** How long a trial may take. */
const TRIAL_MS = 10_000

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
  const { trial } = /** @type {SystemProgram} */ (systemPrograms[name])
  return files.find((file) => isExecutable(file) && (trial === undefined || succeeds(file, trial)))
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

/**
 * @param {string} file
 * @param {readonly string[]} options
 */
function succeeds(file, options) {
  return spawnSync(file, options, { stdio: 'ignore', timeout: TRIAL_MS }).status === 0
}
