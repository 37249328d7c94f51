import { BlockList, isIP, isIPv4 } from 'node:net'
import { choice as choiceOf, formed, integer, textOfForm, type WordType, wordOf, wordOfForm } from '@slotwire/contract'
import { isVisible } from '@slotwire/core'
import { canonicalAddress, plainAddress } from '@slotwire/edge'
import { isHostName } from '../certificates/names.ts'

/** A type of value that is written as one word. `unset`: how undefined is shown, a word, or null if it is never written. */
export interface ValueType<Value> extends WordType<Value> {
  readonly unset?: string | null
}

/** Highest TCP port. */
export const MAX_PORT = 65_535

/** A TCP port. */
export const port = wordOf(integer({ min: 0, max: MAX_PORT }), `a port: 0…${MAX_PORT}; 0 chooses a free one`)

/** A whole number between two bounds, inclusive. */
export const wholeNumber = (min: number, max: number): ValueType<number> => wordOf(integer({ min, max }))

/** One of these words. */
export const choice = <const Word extends string>(words: readonly Word[]): ValueType<Word> => wordOf(choiceOf(words))

/** `type`, or the word `off` for undefined. */
export function orOff<Value>(type: ValueType<Value>): ValueType<Value | undefined> {
  const read = (text: string, name: string) => (text === 'off' ? undefined : type.read(text, name))
  return { wording: `${type.wording}; or off`, read, unset: 'off' }
}

/** `type`, or undefined for the system's value. */
export function orSystems<Value>(type: ValueType<Value>): ValueType<Value | undefined> {
  return { ...type, unset: null }
}

/** Text with at most this many bytes (UTF-8). */
export const shortText = (mostBytes: number): ValueType<string> =>
  textOfForm(
    `visible text in one line, 1…${mostBytes} bytes`,
    (text) => text.trim() !== '' && isVisible(text) && new TextEncoder().encode(text).length <= mostBytes,
  )

const BROKER = /^mqtts?:\/\/(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?\/?$/i

/** The address of an MQTT broker. A refused text is not shown: it may have a password. */
export const brokerUrl: ValueType<string> = {
  wording: 'mqtt:// or mqtts:// with a host, and a port if it is not 1883 or 8883',
  read: (text, name) => {
    if (BROKER.test(text) && URL.canParse(text)) return text
    throw new RangeError(`${name} must be ${brokerUrl.wording}, without user and password`)
  },
}

/** A file of this machine. */
export const filePath = textOfForm(
  'the path of a file, from the root: /…',
  (text) => text.length > 1 && text.startsWith('/') && isVisible(text),
)

/** One level of a topic. */
export const topicLevel = wordOf(formed('^[\\w.-]{1,64}$', '1…64 letters, digits, dots, dashes or underscores'))

/** With its key it must fit into one string of a TXT record (255 bytes, RFC 6763 section 6.1). */
const MAX_PATH_CHARACTERS = 200

/** A path on the device of characters that all proxies and clients pass unchanged (RFC 3986, "unreserved"), and that is free. */
export const openPath = wordOf(
  formed(
    `^(?!.{${MAX_PATH_CHARACTERS + 1}})(?!/([aA][pP][iI]|[sS][lL][oO][tT][wW][iI][rR][eE])(/|$))(/(?!\\.{1,2}(/|$))[\\w.~-]+)+$`,
    `a path, /… of letters, digits, - _ . ~, at most ${MAX_PATH_CHARACTERS} characters, outside /api/ and /slotwire/`,
  ),
)

/** A host name of one label; RFC 1123, section 2.1. */
export const shortHostName = wordOf(
  formed(
    '^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$',
    'a host name without domain: at most 63 letters, digits and inner hyphens',
  ),
)

/** Whether an address is a wildcard for its family: `0.0.0.0` or `::`. */
export const isUnspecified = (address: string): boolean => address === '0.0.0.0' || address === '::'

/** An IP address in its one form; undefined for others, and for IPv4-mapped ones such as `::ffff:10.1.2.3`. */
function addressIn(text: string): string | undefined {
  const address = canonicalAddress(text)
  return address === undefined || (plainAddress(address) ?? address) !== address ? undefined : address
}

/** An IP address of one host. */
function hostAddressIn(text: string): string | undefined {
  const address = addressIn(text)
  return address === undefined || isUnspecified(address) ? undefined : address
}

/** An IP address to listen on. */
export const listenAddress = wordOfForm('an IP address of this device; 0.0.0.0 and :: mean all IPv4 or all addresses', addressIn)

/** An IP address of a host. */
export const hostAddress = wordOfForm('the IP address of one host, as in 10.1.2.3 or 2001:db8::7', hostAddressIn)

/** A name for a server certificate: a host name, in lower case, or an IP address. */
export const certificateName = wordOfForm(
  'a host name, as in press-4.example.com, or an IP address of one host',
  (text) => hostAddressIn(text) ?? (isHostName(text) ? text.toLowerCase() : undefined),
)

const WEB_ORIGIN = /^https?:\/\/[^\s/?#@\\*]+\/?$/i

/** Origin of web pages in the form that browsers send: lower case, without the default port. */
export const webOrigin = wordOfForm(
  'http:// or https:// with the host of a web page and its port, as in https://app.example.com',
  (text) => (WEB_ORIGIN.test(text) && URL.canParse(text) ? new URL(text).origin : undefined),
)

/** Networks of this machine and its site: loopback, private, link-local (RFC 1918, 3927, 4193, 4291, 6598). */
const LOCAL = new BlockList()
for (const network of ['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '100.64.0.0/10'])
  LOCAL.addSubnet(network.replace(/\/.*/, ''), Number(network.replace(/.*\//, '')), 'ipv4')
for (const network of ['::1/128', 'fc00::/7', 'fe80::/10'])
  LOCAL.addSubnet(network.replace(/\/.*/, ''), Number(network.replace(/.*\//, '')), 'ipv6')

/** Domains that are resolved locally (RFC 6762, 8375, and `internal`, which ICANN reserves for this). */
const LOCAL_DOMAIN = /(^|\.)(localhost|local|internal|home\.arpa)$/

/** Whether a host is in the local network: an address by its range, a name by its domain. */
function isNear(host: string): boolean {
  if (isIP(host) !== 0) return LOCAL.check(host, isIPv4(host) ? 'ipv4' : 'ipv6')
  return isHostName(host) && (!host.includes('.') || LOCAL_DOMAIN.test(host))
}

const ORIGIN = /^https?:\/\/(\[[\da-f:.]+\]|[a-z\d.-]+)(?::\d{1,5})?\/?$/i
const withoutBrackets = (host: string) => host.replace(/^\[|\]$/g, '')

/** Address of another process: scheme, host and port, on this machine or in its network. */
export const localOrigin = wordOfForm(
  'http:// or https:// with a host of this machine or its network, and a port, as in http://127.0.0.1:8002',
  (text) => {
    const written = ORIGIN.exec(text)?.[1]
    if (written === undefined || !URL.canParse(text)) return undefined
    const { origin, hostname, port: portText } = new URL(text)
    const host = withoutBrackets(hostname)
    // Some clients read 127.1 and 0x7f000001 as addresses, others as names.
    const isUsual = isIP(withoutBrackets(written)) === isIP(host)
    return isUsual && portText !== '0' && isNear(host) ? origin : undefined
  },
)
