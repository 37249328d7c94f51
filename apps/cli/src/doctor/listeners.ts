import { linesOf } from './files.ts'
import type { Installation } from './installation.ts'
import { formatProcess, isOurs, openFiles, type RunningProcess } from './processes.ts'

const LISTENING = '0A'
const HEXADECIMAL = 16
/** Columns of the kernel's list of sockets. */
const COLUMN = { local: 1, state: 3, inode: 9 } as const
/** Loopback or any address, as the kernel writes them there, of IPv4 and IPv6. */
const LOCAL = /^(0100007F|0{8}|0{32}|0{24}01000000|0{16}FFFF00000100007F):/

/** Who listens at a port of this machine's loopback. */
export interface Listener {
  /** Undefined: this user may not know. */
  readonly process: RunningProcess | undefined
  readonly isOurs: boolean
}

/** Undefined: nobody listens there. What the kernel tells: nobody is called. */
export async function listenerAt({ roots, state }: Installation, port: number): Promise<Listener | undefined> {
  const inodes = (await Promise.all([sockets(roots.proc, 'tcp', port), sockets(roots.proc, 'tcp6', port)])).flat()
  if (inodes.length === 0) return undefined
  const links = inodes.map((inode) => `socket:[${inode}]`)
  const { holders } = await openFiles(roots.proc, links)
  const process = links.flatMap((link) => holders.get(link) ?? [])[0]
  return { process, isOurs: process !== undefined && (await isOurs(roots.proc, state, process)) }
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

/** Inodes of the listening sockets of a kind. */
async function sockets(proc: string, kind: 'tcp' | 'tcp6', port: number): Promise<readonly string[]> {
  return (await linesOf(`${proc}/net/${kind}`)).flatMap((line) => {
    const columns = columnsOf(line)
    const local = columns[COLUMN.local] ?? ''
    const isIt = columns[COLUMN.state] === LISTENING && local.endsWith(`:${hexadecimal(port)}`) && LOCAL.test(local)
    return isIt ? (columns[COLUMN.inode] ?? []) : []
  })
}

function columnsOf(line: string): readonly string[] {
  return line.trim().split(/\s+/)
}

function hexadecimal(port: number): string {
  return port.toString(HEXADECIMAL).toUpperCase().padStart(4, '0')
}
