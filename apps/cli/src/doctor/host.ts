import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, existsSync, openSync, readdirSync, readFileSync, type Stats } from 'node:fs'
import { userInfo } from 'node:os'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { type Clock, isRecord, messageOf, orElse, withDeadline } from '@slotwire/core'
import { allServices } from '@slotwire/device'
import { attributeValue, DESCRIPTOR_ATTRIBUTES } from '@slotwire/driver/kernel'
import { readSettingsFile, SETTINGS_FILE, type Settings, usableSettings } from '@slotwire/network'
import { getText } from '../client/get-text.ts'
import type { ServiceStatus } from '../run/network-side.ts'
import type { ServeOptions } from '../serve/serve-options.ts'
import { processUsing } from '../state/state-access.ts'
import { stateFolderOf } from '../state/state-folder.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { type Colors, shellWord } from '../terminal/text.ts'
import { UsageError } from '../terminal/usage-error.ts'

/** Longest run time of a system program. */
const PROGRAM_DEADLINE_MS = 2000
/** Longest time until files are read, on a busy machine. */
const READ_DEADLINE_MS = 5000
/** A kernel attribute fits into a page. */
const PAGE_CHARACTERS = 4096
/** A service answers status requests from memory. */
export const ANSWER_DEADLINE_MS = 2000
export const LOOPBACK = '127.0.0.1'
const OWN_UNITS = 'slotwire*.service'
/** Options that describe how the service is started. */
const SERVED = ['state', 'services', 'port', 'powerManager'] as const

export interface DoctorOptions extends Pick<ServeOptions, 'hardware' | 'state' | 'services' | 'port' | 'powerManager' | 'json'> {
  readonly sysRoot: string
  readonly devRoot: string
  readonly user?: string
}

/** What `doctor` needs from this program. */
export interface DoctorContext extends CommandContext {
  readonly colors?: Colors
  /** Instead of `/proc`, `/run` and `/etc`. */
  readonly roots?: Readonly<Record<'proc' | 'run' | 'etc', string>>
}

/** What the checks examine. */
export type Subject = Awaited<ReturnType<typeof subjectOf>>

/** What the options say about machine, user and service. `isTyped`: whether the user gave an option. */
export async function subjectOf(options: DoctorOptions, isTyped: (option: string) => boolean, context: DoctorContext) {
  const { clock, wallTime, roots: otherRoots = { proc: '/proc', run: '/run', etc: '/etc' } } = context
  const roots = { sys: resolve(options.sysRoot), dev: resolve(options.devRoot), ...otherRoots }
  const { systemd, units } = await installedUnits(roots.run)
  const evidence = evidenceOfHardware(roots.sys, units)
  const detected = evidence === undefined ? 'twin' : 'kernel'
  const hardware = options.hardware === 'auto' ? detected : options.hardware
  const user = options.user === undefined ? ownAccount() : await accountOf(options.user)
  const device = hardware === 'kernel' ? 'A service on real hardware' : 'A service with a virtual device'
  const reason = evidence ?? `${slotsFolder(roots)} does not exist: there is no real hardware here`
  const about = `${device}${options.hardware === 'auto' ? ` (${reason})` : ''}, run by ${user.name}`
  const { services, port } = options
  const powerManager = options.powerManager && resolve(options.powerManager)
  const planned = { state: stateFolderOf(options, context), isStateTyped: isTyped('state'), services, port, powerManager }
  const ofUnit = SERVED.some(isTyped) || hardware === 'twin' ? undefined : serviceOf(units)
  const service: CheckedService = { ...planned, ...ofUnit }
  const sockets = await listeningSockets()
  const slots = hardware === 'twin' ? [] : await occupiedSlots(roots, clock)
  return { about, hardware, roots, user, clock, date: wallTime(), systemd, units, sockets, service, slots }
}

/** Evidence that this device has real hardware, even if it does not work now. Undefined without any. */
function evidenceOfHardware(sys: string, units: readonly SystemdUnit[]): string | undefined {
  const path = [`${sys}/class/sdbp`, `${sys}/module/sdbpk`].find((one) => existsSync(one))
  if (path !== undefined) return `${path} exists`
  const unit = units.find((one) => one['ExecStart']?.includes('--hardware kernel'))
  return unit && `${unit['Id'] ?? ''} is installed`
}

/** Output of a system program. Rejects if it fails or is late. */
async function outputOf(program: string, ...words: readonly string[]): Promise<string> {
  return (await promisify(execFile)(program, words, { timeout: PROGRAM_DEADLINE_MS, killSignal: 'SIGKILL' })).stdout
}

/** A user, as the kernel identifies it. */
export type Account = { readonly name: string; readonly uid: number; readonly gids: readonly number[] }

/** The user of this process. Without users (Windows), everything is allowed. */
function ownAccount(): Account {
  const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0]
  // Containers run users without a name.
  return { name: orElse(String(uid), () => userInfo().username), uid, gids: [gid, ...(process.getgroups?.() ?? [])] }
}

/** The account of that name. Rejects with `UsageError`. */
async function accountOf(name: string): Promise<Account> {
  try {
    const [uid, gids = ''] = await Promise.all(['-u', '-G'].map((option) => outputOf('id', option, '--', name)))
    return { name, uid: Number(uid), gids: gids.trim().split(' ').map(Number) }
  } catch (error) {
    const why = messageOf(error).trim().replaceAll('\n', ': ')
    const remedy = `make it (useradd --system ${shellWord(name)}), or name another with --user <name>`
    throw new UsageError(`user ${name} cannot be looked up (${why}): ${remedy}`, { cause: error })
  }
}

/** Properties of a unit, by name, as systemd reports them. */
export type SystemdUnit = Readonly<Record<string, string>>
type InstalledUnits = { readonly systemd: 'absent' | 'silent' | 'answers'; readonly units: readonly SystemdUnit[] }

/** Whether systemd runs and answers, and our units, loaded or only installed. `run` is `/run`. Never rejects. */
async function installedUnits(run: string): Promise<InstalledUnits> {
  if (!existsSync(`${run}/systemd/system`)) return { systemd: 'absent', units: [] }
  try {
    const listed = await outputOf('systemctl', 'list-unit-files', '--full', '--plain', '--no-legend', OWN_UNITS)
    // systemd has no state of a template.
    const installed = [...listed.matchAll(/^\S+(?<!@)\.service(?=\s)/gm)].map(([name]) => name)
    const units = new Map((await shownUnits(OWN_UNITS, ...installed)).map((unit) => [unit['Id'], unit]))
    return { systemd: 'answers', units: [...units.values()].filter((unit) => unit['LoadState'] === 'loaded') }
  } catch {
    return { systemd: 'silent', units: [] }
  }
}

/** The properties of units, from a block of lines for each. Rejects if systemd does not answer. */
export async function shownUnits(...names: readonly string[]): Promise<readonly SystemdUnit[]> {
  const blocks = (await outputOf('systemctl', 'show', '--', ...names)).split('\n\n')
  const lines = blocks.map((block) => [...block.matchAll(/^(\w+)=(.*)$/gm)])
  return lines.map((pairs) => Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value])))
}

/** A service as its unit or the typed options would start it, or as it reports that it runs. */
export interface CheckedService {
  /** Absolute path of the state folder. */
  readonly state: string
  /** Whether only a service with this state folder counts. */
  readonly isStateTyped?: boolean
  /** Names of the module services. */
  readonly services: readonly string[]
  /** Port of the loopback door; undefined: as configured. */
  readonly port?: number | undefined
  /** Undefined: the default socket, if it exists. */
  readonly powerManager?: string | undefined
  readonly unit?: SystemdUnit
  /** What it reports if it runs. */
  readonly running?: Awaited<ReturnType<typeof askService>>
  /** The process that holds the state folder, if known. */
  readonly pid?: number | undefined
}

/** What `slotwire.service` says about its service, if installed. */
export function serviceOf(units: readonly SystemdUnit[]): Pick<CheckedService, 'state' | 'port' | 'unit'> | undefined {
  const unit = units.find((one) => one['Id'] === 'slotwire.service')
  if (unit === undefined) return undefined
  const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(unit['StatusText'] ?? '')?.[1]
  const state = `/var/lib/${unit['StateDirectory']?.split(' ')[0] ?? ''}`
  return { state, port: port === undefined ? undefined : Number(port), unit }
}

/** The settings for the next start; if it would fail, those of the file that have no mistakes. */
export function settingsOf({ state, port }: CheckedService): Settings {
  const settings = usableSettings(state) ?? readSettingsFile(state, SETTINGS_FILE).settings
  return port === undefined ? settings : { ...settings, loopbackPort: port }
}

/** Finds the process of a planned service and queries what it serves. */
export async function findService(planned: CheckedService, subject: Pick<Subject, 'sockets' | 'clock'>): Promise<CheckedService> {
  const { sockets = [], clock } = subject
  const pid = orElse(undefined, () => processUsing(planned.state))
  // It may answer at the configured port, and at those of the process that holds its state folder.
  const own = sockets.filter((socket) => socket.address === LOOPBACK && Number(socket.pid) === pid)
  for (const port of new Set([settingsOf(planned).loopbackPort, ...own.map((socket) => socket.port)])) {
    const running = port === 0 ? undefined : await askService(port, clock)
    if (running !== undefined && (planned.isStateTyped !== true || running.stateFolder === planned.state))
      return { ...planned, running, pid: running.pid, state: running.stateFolder, services: running.services }
  }
  return { ...planned, pid }
}

/** Undefined: no Slotwire answers at this loopback port, but another program, or none. */
async function askService(port: number, clock: Clock) {
  const ask = async (name: string): Promise<string> => {
    const url = `http://${LOOPBACK}:${port}/slotwire/${name}`
    const bounds = { clock, deadlineMs: ANSWER_DEADLINE_MS, maxBytes: 262_144 }
    return (await getText(url, bounds).catch(() => undefined))?.text ?? ''
  }
  const [status = {}, ready = {}] = (await Promise.all([ask('status'), ask('readyz')])).map(valuesIn)
  if (!isStatus(status)) return undefined
  const metrics = await ask('metrics')
  const { message = 'no reason given' } = ready
  const notReady = ready['status'] === 'success' ? undefined : String(message)
  const states = metrics.matchAll(/^slotwire_slot_state\{slot="(\d)",state="(\w+)"\} 1$/gm)
  const slotStates = Object.fromEntries([...states].map(([, slot = '', state = '']) => [slot, state]))
  return { ...status, port, notReady, slotStates }
}

/** The values of a JSON object; none for the answer of another program. */
function valuesIn(text: string): Partial<Record<string, unknown>> {
  const body = orElse<unknown>(undefined, () => JSON.parse(text))
  return isRecord(body) ? body : {}
}

function isStatus(values: Partial<Record<keyof ServiceStatus, unknown>>): values is ServiceStatus {
  const lists = [values.services, values.networkDoors, values.missingDoors]
  return typeof values.pid === 'number' && typeof values.stateFolder === 'string' && lists.every(Array.isArray)
}

/** `LISTEN 0 511 [::1]:8080 [::]:* users:(("node",pid=12,fd=20))` */
const SOCKET = /^LISTEN\s+\d+\s+\d+\s+\[?(\S+?)\]?:(\d+)\s+\S+(?:.*?\("(.*?)",pid=(\d+))?/gm
/** The listening TCP sockets on this machine, with their processes if this user may see them. Undefined: `ss` is not installed. */
export async function listeningSockets() {
  const ss = outputOf('ss', '--no-header', '--listening', '--tcp', '--numeric', '--processes')
  const sockets = (await ss.catch(() => undefined))?.matchAll(SOCKET)
  if (sockets === undefined) return undefined
  // The process of a port is visible only to root and its own user.
  return Array.from(sockets, ([, address = '', port, command = "another user's program", pid = 'unknown']) => {
    return { address, port: Number(port), pid, user: `${command} (process ${pid})` }
  })
}

/**
 * Whether these files block their reader: on a dead network file system, or in a driver that hangs. No signal may end such a reader, and
 * Node.js does not end before its threads: so another process reads the files first.
 */
export async function isBlocked(clock: Clock, ...paths: readonly string[]): Promise<boolean> {
  const reader = spawn('cat', ['--', ...paths], { stdio: 'ignore' })
  reader.unref()
  const ended = once(reader, 'close').catch(() => undefined)
  const isLate = withDeadline(clock, READ_DEADLINE_MS, ended, 'not read').then(() => false)
  return isLate.catch(() => reader.kill('SIGKILL') || true)
}

/** The start of a file, without waiting for the writer of a pipe. Throws the system's error. */
export function readPage(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    return readFileSync(file, 'utf8').slice(0, PAGE_CHARACTERS)
  } finally {
    closeSync(file)
  }
}
/** Like `readPage`; empty if the file cannot be read. */
export const readPageOrNothing = (path: string): string => orElse('', () => readPage(path))
/** The sorted names in a folder that fit; none if it cannot be read. */
export const namesIn = (folder: string, fits = /./): readonly string[] =>
  orElse([], () => readdirSync(folder).sort()).filter((name) => fits.test(name))

/** Access rights: bits of one digit of a file's mode. */
export const [ENTER, READ, READ_WRITE, USE_FOLDER] = [1, 4, 6, 7]
type Rights = Pick<Stats, 'uid' | 'gid' | 'mode'>

/** Whether mode, owner and group of a file allow access. It does not open the file: opening some files has effects. */
export function mayUse({ uid, gid, mode }: Rights, user: Account, access: number): boolean {
  const shift = uid === user.uid ? 6 : user.gids.includes(gid) ? 3 : 0
  return user.uid === 0 || ((mode >> shift) & access) === access
}

/** `mode 0640, owner 0, group 20`. */
export const formatRights = ({ uid, gid, mode }: Rights): string =>
  `mode ${(mode & 0o7777).toString(8).padStart(4, '0')}, owner ${uid}, group ${gid}`

/** The folder in which the kernel lists slots. */
export const slotsFolder = ({ sys }: { readonly sys: string }): string => `${sys}/class/sdbp`

/** The slots that hold modules, in order. A slot's `file` is never opened here: closing it would stop the module. */
export function occupiedSlots(roots: Readonly<Record<'sys' | 'dev', string>>, clock: Clock) {
  const slots = namesIn(slotsFolder(roots), /^slot[0-7]$/).map(async (entry) => {
    const folder = `${slotsFolder(roots)}/${entry}`
    const number = Number(entry.slice(-1))
    const hangs = await isBlocked(clock, ...DESCRIPTOR_ATTRIBUTES.map((attribute) => `${folder}/${attribute}`))
    // The module's `vendor_product_id`; empty if unreadable.
    const type = hangs ? '' : attributeValue(readPageOrNothing(`${folder}/vendor_product_id`))
    // The service that drives such modules; empty for an unknown type.
    const service = allServices.find(({ vendorProductId }) => vendorProductId === type)?.contract.service ?? ''
    return { number, name: `slot ${number}`, folder, file: `${roots.dev}/${entry}`, type, service, isBlocked: hangs }
  })
  return Promise.all(slots)
}

/** A slot with a module in it. */
export type OccupiedSlot = Awaited<ReturnType<typeof occupiedSlots>>[number]
