import { X509Certificate } from 'node:crypto'
import { orElse } from '@slotwire/core'
import { collect } from '../check.ts'
import { serviceNames, type TestedDevice } from '../device.ts'
import { equal, that, Unjudged } from '../expect.ts'
import type { WireAnswer } from '../wire.ts'

const { list, section, read } = collect()
const discovery = section('Discovery')
const keys = ['vendor', 'path', 'service', 'machine-id', 'tls-ca'] as const

interface Entry {
  readonly name: string
  readonly port: number
  readonly txt: ReadonlyMap<string, string>
}

/** What this device announces of a type. Throws `Unjudged` for an address of this machine. */
async function entriesOf({ wire }: TestedDevice, type: string): Promise<readonly Entry[]> {
  if (/^(127\.|::1$|localhost$)/.test(wire.host)) throw new Unjudged('a loopback address is not announced')
  const records = await wire.browse(`${type}.local`)
  const addresses = await wire.addresses()
  const isOwn = (target: string) =>
    records.some((one) => (one.type === 'A' || one.type === 'AAAA') && one.name === target && addresses.includes(one.data))
  return records.flatMap((record) => {
    if (record.type !== 'SRV' || !record.name.endsWith(`${type}.local`) || !isOwn(record.data.target)) return []
    const texts = records.flatMap((one) => (one.type === 'TXT' && one.name === record.name ? [one.data].flat() : []))
    const pairs = texts.map((text) => String(text).split(/=(.*)/s)).map(([key = '', value = '']) => [key, value] as const)
    return [{ name: record.name, port: record.data.port, txt: new Map(pairs) }]
  })
}
const isCertificate = (text: string) =>
  text.includes('-----BEGIN CERTIFICATE-----') && orElse(undefined, () => new X509Certificate(text)) !== undefined

for (const [type, port] of Object.entries({ '_http._tcp': 80, '_https._tcp': 443 })) {
  discovery(type, `mDNS announces the API as ${type} at port ${port}, with vendor, path, service, machine-id and tls-ca`)
  const every = (name: string, does: string, judge: (entry: Entry) => void) =>
    read(name, `each entry of ${type} has ${does}`, async (device) => (await entriesOf(device, type)).forEach(judge))
  read('service', `${type} has an entry for each service with a module`, async (device) => {
    const names = (await entriesOf(device, type)).map(({ txt }) => txt.get('service'))
    for (const name of serviceNames)
      if (device.slots(name).length > 0) that(names.includes(`${name}-module`), `an entry of ${name}-module`, names)
  })
  every('port', `port ${port}`, (entry) => equal(entry.port, port, `port of ${entry.name}`))
  for (const key of keys) every(`has-${key}`, key, ({ name, txt }) => that(!!txt.get(key), `${key} in ${name}`))
  every('path', 'the base path of its service', ({ name, txt }) => {
    const service = serviceNames.find((one) => `${one}-module` === txt.get('service'))
    if (service !== undefined) equal(txt.get('path'), `/api/${service}/`, `path in ${name}`)
  })
}
for (const [key, does, isRight] of [
  ['machine-id', 'a plain text of one word', ({ text }: WireAnswer) => /^\S+\s*$/.test(text)],
  ['tls-ca', 'the certificate of the authority (X.509, PEM)', ({ text }: WireAnswer) => isCertificate(text)],
] as const) {
  discovery(key, `${key} is the path of ${does}, which needs no credentials`)
  read('answers', `GET of the path answers ${does}`, async (device) => {
    const [entry] = await entriesOf(device, '_https._tcp')
    const path = entry?.txt.get(key) ?? ''
    that(path.startsWith('/'), `a path in ${key}`, path)
    const answer = await device.wire.request({ method: 'GET', path, headers: {} })
    equal(answer.status, 200, `GET ${path}`)
    that(isRight(answer), does, answer.text)
    const type = String(answer.headers['content-type'])
    that(key !== 'machine-id' || type.startsWith('text/plain'), 'text/plain', type)
  })
}
discovery('suffix', 'Hosts with the same name get a numeric suffix', 'it needs a second device of the same name')
discovery('compare', 'Clients compare the machine id', 'it is a rule for clients')

export const discoverySentences = list
