import {
  accessSync,
  chmodSync,
  constants,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type Clock, escaped, messageOf, orElse } from '@slotwire/core'
import type { AnnouncedService, Announcement, AvahiPaths } from './announcement.ts'
import { instanceLabel, txtStrings } from './announcement-zone.ts'

export const AVAHI_PATHS: AvahiPaths = { socket: '/run/avahi-daemon/socket', services: '/etc/avahi/services' }

/** Time to wait for an answer. avahi answers at once about its own host; it waits 5 s for other hosts. */
const ANSWER_MS = 2000
const MAX_ANSWER_CHARACTERS = 4096

/** Sends one line in avahi's simple protocol. Resolves with the first line of the response; undefined if no complete line arrives. */
async function ask(socketPath: string, line: string, clock: Clock): Promise<string | undefined> {
  const socket = connect(socketPath).setEncoding('utf8')
  const timer = clock.after(ANSWER_MS, () => socket.destroy())
  try {
    socket.write(`${line}\n`)
    let text = ''
    for await (const chunk of socket as AsyncIterable<string>) {
      text += chunk
      if (text.length > MAX_ANSWER_CHARACTERS) return undefined
      if (text.includes('\n')) return text.slice(0, text.indexOf('\n'))
    }
    return undefined
  } catch {
    return undefined
  } finally {
    timer.cancel()
    socket.destroy()
  }
}

/** Returns whether avahi runs on this host. */
export async function avahiRuns(socketPath: string, clock: Clock): Promise<boolean> {
  return (await ask(socketPath, 'HELP', clock))?.startsWith('+') === true
}

/** The host name, without domain, that avahi announces for an address of this host; undefined if it announces no name yet, or is down. */
export async function avahiHostName(socketPath: string, address: string, clock: Clock): Promise<string | undefined> {
  // "+ 2 0 press-4.local": interface, protocol, name.
  const answer = await ask(socketPath, `RESOLVE-ADDRESS ${address}`, clock)
  return /^\+ \S+ \S+ ([A-Za-z0-9-]+)\./.exec(answer ?? '')?.[1]
}

/** avahi replaces this with its current host name. */
const HOST_NAME = '%h'

/**
 * Text of the avahi file for one service, see avahi.service(5). All entries of a file share one name, so each service has its own file.
 * `hostName` is the name that avahi announces.
 */
export function avahiServiceFile(announcement: Announcement, service: AnnouncedService, hostName: string): string {
  const follows = instanceLabel(service.name, hostName).endsWith(` on ${hostName}`)
  const name = instanceLabel(service.name, follows ? HOST_NAME : hostName)
  const records = txtStrings(announcement, service).map((text) => `    <txt-record>${escaped(text)}</txt-record>`)
  const entries = announcement.doors.flatMap(({ scheme, port }) => [
    `  <service protocol="${protocolOf(announcement.addresses)}">`,
    `    <type>_${scheme}._tcp</type>`,
    `    <port>${port}</port>`,
    ...records,
    '  </service>',
  ])
  return [
    '<?xml version="1.0" standalone="no"?>',
    '<!DOCTYPE service-group SYSTEM "avahi-service.dtd">',
    '<!-- Written by slotwire, and removed when it ends. -->',
    '<service-group>',
    `  <name replace-wildcards="${follows ? 'yes' : 'no'}">${escaped(name)}</name>`,
    ...entries,
    '</service-group>',
    '',
  ].join('\n')
}

/** Excludes an address family in which no door can be reached. */
function protocolOf(addresses: readonly string[]): 'any' | 'ipv4' | 'ipv6' {
  const [ipv4, ipv6] = [addresses.some((address) => !address.includes(':')), addresses.some((address) => address.includes(':'))]
  if (ipv4 === ipv6) return 'any'
  return ipv4 ? 'ipv4' : 'ipv6'
}

/** avahi does not read files with this ending. */
const NEXT = '.next'
const READABLE_BY_ALL = 0o644
const MS_PER_SECOND = 1000

/** Why avahi's folder cannot be written, and a remedy; undefined if it can. */
export function whyUnwritable(folder: string): string | undefined {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    const reason = messageOf(error)
    return `${folder} cannot be written (${reason}): let this user write there (setfacl -m u:<user>:rwx ${folder}), or set discovery to own`
  }
}

/**
 * Writes a file for avahi in one step, readable for avahi's user under any umask. Leaves a file with the same text alone: avahi would
 * withdraw the service and announce it again. avahi ignores a change in the same second, so a file replaced within a second gets the date
 * of the next. Throws the system's error.
 */
export function writeServiceFile(path: string, text: string): void {
  const before = statSync(path, { throwIfNoEntry: false })
  if (before?.isFile() === true && readFileSync(path, 'utf8') === text) return
  const next = path + NEXT
  try {
    writeFileSync(next, text)
    chmodSync(next, READABLE_BY_ALL)
    const second = Math.floor((before?.mtimeMs ?? 0) / MS_PER_SECOND)
    if (Math.floor(statSync(next).mtimeMs / MS_PER_SECOND) <= second) utimesSync(next, second + 1, second + 1)
    renameSync(next, path)
  } catch (error) {
    rmSync(next, { force: true })
    throw error
  }
}

/** Files with which avahi announces these services for other programs: those of the original services. */
export function foreignServiceFiles(
  services: readonly AnnouncedService[],
  folder: string = AVAHI_PATHS.services,
): readonly string[] {
  const names = orElse<readonly string[]>([], () => readdirSync(folder))
  return names
    .filter((name) => name.endsWith('.service') && !name.startsWith('slotwire-'))
    .map((name) => join(folder, name))
    .filter((file) => {
      const text = orElse('', () => readFileSync(file, 'utf8'))
      return services.some((service) => text.includes(service.name))
    })
}
