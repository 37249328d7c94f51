import { isIPv4 } from 'node:net'
import { plainAddress } from '@slotwire/edge'
import type { Installation } from '../installation.ts'
import { askSystemd } from '../units/systemd.ts'
import { linesOf } from './files.ts'
import { formatProcess, isOurs, openFiles, type RunningProcess } from './processes.ts'

const LISTENING = '0A'
const HEXADECIMAL = 16
/** Columns of the kernel's list of sockets. */
const COLUMN = { local: 1, state: 3, inode: 9 } as const
const ANY_IPV4 = '0.0.0.0'
/** Takes IPv4 as well. */
const ANY_ADDRESS = '::'
/** Where a service is for this machine alone. */
const LOOPBACK = ['127.0.0.1', '::1']
const SYSTEMD = { pid: 1, unit: 'init.scope' } as const

/** Who listens at a port of this machine. */
export interface Listener {
  /** Undefined: this user may not know. */
  readonly process: RunningProcess | undefined
  readonly isOurs: boolean
}

/**
 * Who keeps others from listening at a port of these addresses, loopback unless told otherwise; undefined: nobody. What the kernel tells:
 * nobody is called.
 */
export async function listenerAt(
  installation: Installation,
  port: number,
  addresses: readonly string[] = LOOPBACK,
): Promise<Listener | undefined> {
  const { roots, state } = installation
  const lists = await Promise.all(['tcp', 'tcp6'].map((kind) => linesOf(`${roots.proc}/net/${kind}`)))
  const inodes = lists.flat().flatMap((line) => {
    const columns = columnsOf(line)
    const [local, at] = (columns[COLUMN.local] ?? '').split(':')
    if (columns[COLUMN.state] !== LISTENING || local === undefined || at !== hexadecimal(port)) return []
    return isInTheWay(addressOf(local), addresses) ? (columns[COLUMN.inode] ?? []) : []
  })
  if (inodes.length === 0) return undefined
  const links = inodes.map((inode) => `socket:[${inode}]`)
  const { holders } = await openFiles(roots.proc, links)
  const processes = links.flatMap((link) => holders.get(link) ?? [])
  // systemd keeps a socket that it has handed on.
  const process = processes.find(({ pid }) => pid !== SYSTEMD.pid) ?? processes[0]
  if (process === undefined) return { process, isOurs: false }
  return {
    process: await behind(installation, process, { port, addresses }),
    isOurs: await isOurs(roots.proc, state, process),
  }
}

export function formatListener({ process }: Listener): string {
  return process === undefined ? 'another user’s program' : formatProcess(process)
}

/** Whether a socket for datagrams has this port, at whichever address. */
export async function isUdpPortUsed(proc: string, port: number): Promise<boolean> {
  const ending = `:${hexadecimal(port)}`
  const lines = (await Promise.all([linesOf(`${proc}/net/udp`), linesOf(`${proc}/net/udp6`)])).flat()
  return lines.some((line) => columnsOf(line)[COLUMN.local]?.endsWith(ending) === true)
}

/** Of systemd, which listens for others, the unit for which it does. */
async function behind(
  installation: Installation,
  process: RunningProcess,
  { port, addresses }: { readonly port: number; readonly addresses: readonly string[] },
): Promise<RunningProcess> {
  if (process.pid !== SYSTEMD.pid || process.unit?.name !== SYSTEMD.unit) return process
  const listed = await askSystemd(installation, 'list-sockets', '--all', '--full', '--plain', '--no-legend').catch(() => '')
  for (const line of listed?.split('\n') ?? []) {
    const [, address, at, name] = /^\[?([\d.]+|[\da-f:]+)\]?:(\d+) +(\S+\.socket)\b/.exec(line) ?? []
    if (address === undefined || name === undefined || at !== String(port)) continue
    if (isInTheWay(address, addresses)) return { ...process, unit: { name, user: undefined } }
  }
  return process
}

/** Whether who listens here keeps others from one of these. */
function isInTheWay(listening: string, addresses: readonly string[]): boolean {
  return addresses.some((address) => {
    if (listening === ANY_ADDRESS || address === ANY_ADDRESS || listening === address) return true
    return isIPv4(listening) === isIPv4(address) && [listening, address].includes(ANY_IPV4)
  })
}

/** An address as the kernel writes it there: words of four bytes, the last byte of each first. */
function addressOf(hex: string): string {
  const words = hex.match(/.{8}/g) ?? []
  const bytes = words.flatMap((word) => [...Buffer.from(word, 'hex').reverse()])
  if (words.length === 1) return bytes.join('.')
  const groups = Buffer.from(bytes).toString('hex').match(/.{4}/g) ?? []
  return plainAddress(groups.join(':')) ?? ''
}

function columnsOf(line: string): readonly string[] {
  return line.trim().split(/\s+/)
}

function hexadecimal(port: number): string {
  return port.toString(HEXADECIMAL).toUpperCase().padStart(4, '0')
}
