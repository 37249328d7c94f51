import type { FoundDevice, FoundDoor } from '@slotwire/network/discover'
import { type Colors as AllColors, formatTable, colors as ownColors } from '../terminal/text.ts'

const STATES: Readonly<Record<FoundDoor['state'], string>> = {
  works: 'works',
  'needs-token': 'needs a token',
  'token-refused': 'token refused',
  untrusted: 'certificate not trusted yet',
  unreachable: 'unreachable',
  failed: 'failed',
}

/** A copied card, most likely: one of them displaces the other on a broker. */
const COPIES = 'several host names have it: if they are copies, give each its own (docs/guide/device.md)'

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
    ['', hostNames.length > 1 && machineId !== undefined ? COPIES : undefined],
    ['addresses', addresses.join(', ') || 'none announced'],
    ['authority', caFingerprint === undefined ? undefined : `SHA-256 ${caFingerprint}`],
  ]
  const about = lines.flatMap(([label, text]) => (text === undefined ? [] : [`  ${label.padEnd(11)} ${text}\n`]))
  const rows = services.flatMap(({ name, doors }) =>
    doors.map(({ url, versions, state, reason }) => ({
      service: name,
      url,
      api: versions?.api,
      version: versions?.service,
      state: reason === undefined ? STATES[state] : `${STATES[state]}: ${reason}`,
    })),
  )
  const table = formatTable(rows, (text, column, { state }) =>
    column !== 'state'
      ? text
      : colors[state === 'works' ? 'green' : /^(unreachable|failed)/.test(state) ? 'red' : 'yellow'](text),
  )
  return `${colors.bold(hostNames.join(', '))}\n${about.join('')}${table}${advice(device)}`
}

/** What to do about a device that is not trusted yet. */
function advice({ caFingerprint, services }: FoundDevice): string {
  const isUntrusted = services.some(({ doors }) => doors.some(({ state }) => state === 'untrusted'))
  if (!isUntrusted || caFingerprint === undefined) return ''
  return `  To trust it: run slotwire cert show on the device, compare the fingerprints, then use --ca <file>.\n`
}
