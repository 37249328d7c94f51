import type { FoundDevice, FoundDoor, FoundService } from '@slotwire/gateway/discover'
import Table from 'cli-table3'
import { type Colors as AllColors, colors as ownColors } from '../terminal/colors.ts'

const HEAD = ['SERVICE', 'URL', 'API', 'VERSION', 'STATE']

const STATES: Readonly<Record<FoundDoor['state'], string>> = {
  works: 'works',
  'needs-token': 'needs a token',
  'token-refused': 'token refused',
  untrusted: 'certificate not trusted yet',
  unreachable: 'unreachable',
  failed: 'failed',
}

type Colors = Pick<AllColors, 'bold' | 'green' | 'yellow' | 'red'>

/** Devices as text: name and identity of each, then a line for each service at each door. */
export function formatDevices(devices: readonly FoundDevice[], colors: Colors = ownColors): string {
  return devices.map((device) => formatDevice(device, colors)).join('\n')
}

function formatDevice(device: FoundDevice, colors: Colors): string {
  const { hostNames, vendor, machineId, addresses, caFingerprint, services } = device
  const lines: readonly (readonly [string, string | undefined])[] = [
    ['vendor', vendor],
    ['machine id', machineId ?? 'unknown: no door reported it'],
    ['addresses', addresses.join(', ') || 'none announced'],
    ['authority', caFingerprint === undefined ? undefined : `SHA-256 ${caFingerprint}`],
  ]
  const about = lines.flatMap(([label, text]) => (text === undefined ? [] : [`  ${label.padEnd(11)} ${text}\n`]))
  const table = new Table({ head: HEAD, style: { head: [], border: [] } })
  for (const service of services) for (const door of service.doors) table.push(row(service, door, colors))
  return `${colors.bold(hostNames.join(', '))}\n${about.join('')}${table.toString()}\n${advice(device)}`
}

function row({ name }: FoundService, { url, versions, state, reason }: FoundDoor, colors: Colors): string[] {
  const color = state === 'works' ? colors.green : state === 'unreachable' || state === 'failed' ? colors.red : colors.yellow
  const text = reason === undefined ? STATES[state] : `${STATES[state]}: ${reason}`
  return [name, url, versions?.api ?? '', versions?.service ?? '', color(text)]
}

/** What to do about a device that is not trusted yet. */
function advice({ caFingerprint, services }: FoundDevice): string {
  const isUntrusted = services.some(({ doors }) => doors.some(({ state }) => state === 'untrusted'))
  if (!isUntrusted || caFingerprint === undefined) return ''
  return `  To trust it: run slotwire cert show on the device, compare the fingerprints, then use --ca <file>.\n`
}
