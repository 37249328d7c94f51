import { spawnSync } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { inRoot } from './root.mjs'

/**
 * A program that some tests need and that does not come from npm. `commands`: any of these on the PATH; `debian`: its package. The default
 * of both is the program's name. `trial`: options with which it must succeed, if it needs special rights.
 * @typedef {{ commands?: readonly string[], debian?: string, trial?: readonly string[] }} SystemProgram
 */

/** JUnit with its console, as Debian installs it. */
const JUNIT = ['junit-jupiter', 'junit-jupiter-api', 'junit-jupiter-engine', 'junit-platform-commons', 'junit-platform-console']
const JUNIT_NEEDS = [
  'junit-platform-engine',
  'junit-platform-launcher',
  'junit-platform-reporting',
  'opentest4j',
  'apiguardian-api',
  'picocli',
]
export const junitClassPath = [...JUNIT, ...JUNIT_NEEDS].map((name) => `/usr/share/java/${name}.jar`).join(delimiter)

/** @satisfies {Record<string, SystemProgram>} */
const systemPrograms = {
  chromium: { commands: ['chromium', 'chromium-browser', 'google-chrome'] },
  openssl: {},
  curl: {},
  ip: { debian: 'iproute2' },
  namespaces: { commands: ['unshare'], debian: 'util-linux', trial: ['--net', '--mount', '--uts', 'true'] },
  prlimit: { debian: 'util-linux' },
  avahi: { commands: ['avahi-daemon'], debian: 'avahi-daemon' },
  avahiBrowse: { commands: ['avahi-browse'], debian: 'avahi-utils' },
  nginx: { debian: 'nginx-light' },
  caddy: {},
  socat: {},
  bash: {},
  zsh: {},
  fish: {},
  script: { debian: 'bsdutils' },
  systemd: { commands: ['../lib/systemd/systemd'], trial: ['--version'] },
  systemdAnalyze: { commands: ['systemd-analyze'], debian: 'systemd' },
  systemdNotify: { commands: ['systemd-notify'], debian: 'systemd' },
  perl: { debian: 'perl-base' },
  pythonRequests: { commands: ['python3'], debian: 'python3-requests', trial: ['-c', 'import requests'] },
  libudev: { commands: ['python3'], debian: 'python3', trial: ['-c', "import ctypes; ctypes.CDLL('libudev.so.1')"] },
  fuser: { debian: 'psmisc' },
  debianNode: { commands: ['dpkg'], debian: 'nodejs', trial: ['--status', 'nodejs'] },
  dpkgDeb: { commands: ['dpkg-deb'], debian: 'dpkg' },
  mmdebstrap: {},
  buildah: {},
  debianArchive: {
    commands: ['curl'],
    debian: 'curl',
    trial: ['-sfI', '--max-time', '8', 'http://deb.debian.org/debian/dists/trixie/InRelease'],
  },
  strace: { trial: ['--output=/dev/null', 'true'] },
  ngspice: {},
  vcd2fst: { debian: 'gtkwave' },
  fst2vcd: { debian: 'gtkwave' },
  mosquitto: {},
  mosquittoSub: { commands: ['mosquitto_sub'], debian: 'mosquitto-clients' },
  prometheus: {},
  promtool: { debian: 'prometheus' },
  pytest: { commands: ['pytest-3', 'pytest'], debian: 'python3-pytest' },
  javac: { debian: 'default-jdk-headless' },
  junit: {
    commands: ['java'],
    debian: 'junit5',
    trial: ['-cp', junitClassPath, 'org.junit.platform.console.ConsoleLauncher', '--help'],
  },
  schemathesis: { debian: 'python3-venv' },
  openapiPythonClient: { commands: ['openapi-python-client'], debian: 'python3-venv' },
  homeAssistant: { commands: ['hass'], debian: 'python3-venv' },
  nodeRed: { commands: ['node-red'], debian: 'nodejs' },
  openapiTypescript: { commands: ['openapi-typescript'], debian: 'nodejs' },
}

/** @typedef {keyof typeof systemPrograms} ProgramName */

/** Every name of the table. */
export const programNames = /** @type {ProgramName[]} */ (Object.keys(systemPrograms))

/** Folders that are not on every PATH: of daemons in Debian, and of what tools/install-system-programs.sh installs from PyPI and npm. */
const MORE_FOLDERS = [
  '/usr/local/sbin',
  '/usr/sbin',
  '/sbin',
  inRoot('dist', 'schemathesis', 'bin'),
  inRoot('dist', 'openapi-python-client', 'bin'),
  inRoot('dist', 'home-assistant', 'bin'),
  inRoot('dist', 'client-generators', 'node_modules', '.bin'),
  inRoot('dist', 'node-red', 'node_modules', '.bin'),
]
/** Longest time of a trial. */
const TRIAL_MS = 10_000

/**
 * Returns the Debian package that has a program.
 * @param {ProgramName} name
 */
export function debianPackage(name) {
  const { debian = name } = /** @type {SystemProgram} */ (systemPrograms[name])
  return debian
}

/**
 * Returns the path of a program; undefined: not on this machine.
 * @param {ProgramName} name
 * @returns {string | undefined}
 */
export function findProgram(name) {
  const { commands = [name], trial } = /** @type {SystemProgram} */ (systemPrograms[name])
  const files = [...(process.env['PATH'] ?? '').split(delimiter), ...MORE_FOLDERS].flatMap((folder) =>
    commands.map((command) => join(folder, command)),
  )
  return files.find((file) => isExecutable(file) && (trial === undefined || succeeds(file, trial)))
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
