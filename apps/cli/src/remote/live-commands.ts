import type { NamedPin } from '@slotwire/contract'
import { isoTime, visible } from '@slotwire/core'
import type { Command } from 'commander'
import { type Alert, type Device, type Gap, type Inbox, isGap, type JournalRecord } from '../client.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { colors, type Row } from '../terminal/text.ts'
import { wholeNumber, words } from '../terminal/word.ts'
import { formatLine, formatRows } from './output.ts'
import { namedCells, namedPins, PIN_UNITS, placeOf } from './pin-state.ts'
import { duration, type NamedTarget, namedTarget, slotNumber, type Target } from './values.ts'
import { type DeviceCall, type DeviceCommandOptions, deviceCommand, onDevice } from './with-device.ts'

const MAX_COUNT = 1_000_000
const EVERY_MS = 250
const PINS = ['<pins...>', 'slots and pins, as in 3/1, or names', words(namedTarget)] as const

interface LiveOptions extends DeviceCommandOptions {
  readonly count?: number
}

const withCount = (command: Command): Command =>
  command.option('--count <number>', 'End after so many lines', wholeNumber('count', 1, MAX_COUNT))

/** What arrives, and how it is printed. */
interface Source<Item> {
  readonly inbox: AsyncIterable<Item | Gap> & Pick<Inbox<Item>, 'return'>
  readonly print: (item: Item) => void
}

/** Prints what arrives in any of these, until `count` is reached or all end. With `hint` it reports what is lost, which counts as a line. */
async function printAll<Item>(
  sources: readonly Source<Item>[],
  { count = Number.POSITIVE_INFINITY }: LiveOptions,
  hint?: CommandContext['hint'],
): Promise<void> {
  let left = count
  await Promise.all(
    sources.map(async ({ inbox, print }) => {
      for await (const entry of inbox) {
        if (left === 0) return
        if (!isGap(entry)) print(entry)
        else if (hint === undefined) continue
        else hint(`${entry.missing ?? 'an unknown number'} of entries are lost.\n`)
        left--
        if (left === 0) for (const each of sources) void each.inbox.return()
      }
    }),
  )
}

type WatchCall = DeviceCall<LiveOptions & { readonly every?: number; readonly since?: number }>

/** `slotwire watch 3/1 3/2`. */
export function watchCommand(context: CommandContext): Command {
  const lines = ['watch 3/1 3/2 --every 1s --count 10', 'watch 3/1 --since 10m --csv']
  const command = withCount(deviceCommand('watch', 'Follow the values of pins', ...lines))
    .argument(...PINS)
    .option('--every <time>', 'Look this often, 50ms to 1h (default: 250ms)', duration('every'))
    .option('--since <time>', 'Begin with what was read in this time, 1s to 1h', duration('since'))
  return onDevice(command, context, async ({ device, signal, options }: WatchCall, typed: readonly NamedTarget[]) => {
    const { format, every = EVERY_MS, since } = options
    const places = await Promise.all(typed.map((each) => placeOf(device, each, signal)))
    const all = await namedPins(device, signal)
    const pins = places.map(({ slot, pin }) => ({ slot, pin, named: all.find((each) => each.slot === slot && each.pin === pin) }))
    const areNamed = pins.some(({ named }) => named !== undefined)
    const { terminal } = context
    const table = format === 'table' && terminal !== undefined ? new LiveTable(context.print, terminal) : undefined
    const alerts = table === undefined ? [] : pins.map(({ slot, pin }) => device.io(slot).pin(pin).alerts({ signal }))
    const flash = async (inbox: Inbox<Alert>): Promise<void> => {
      for await (const alert of inbox) if (!isGap(alert)) table?.flash(`${alert.slot}/${alert.pin}`, alert.alerts)
    }
    // A read-only token may watch values where it may not clear alerts. Other failures end the values, too.
    for (const each of alerts) void flash(each).catch(() => undefined)
    const show = (atMs: number, { slot, pin, named, reading }: Shown): void => {
      const unit = reading === undefined ? '' : PIN_UNITS[reading.pin_type]
      const row = { time: isoTime(atMs), pin: `${slot}/${pin}`, value: reading?.value, unit }
      const cells = areNamed ? namedCells(named, [reading], format) : {}
      if (table === undefined) context.print(formatLine({ ...row, ...cells }, format))
      else if (reading !== undefined)
        table.set(row.pin, reading.value, unit, Object.values(cells).filter(Boolean).reverse().join(' '))
    }
    const sources = pins.map((place) => {
      const of = device.io(place.slot).pin(place.pin)
      // The reading that the quantity is made of.
      const inbox = place.named?.from === 'current' ? of.currents({ every, signal }) : of.values({ every, signal })
      return { inbox, print: (reading: NonNullable<Shown['reading']>) => show(context.wallTime(), { ...place, reading }) }
    })
    try {
      const past = since === undefined ? [] : await pastOf(device, pins, since, signal)
      const now = context.wallTime()
      // A terminal shows the newest only.
      for (const { ago, ...entry } of past.slice(table === undefined ? 0 : -MAX_VALUES * pins.length)) show(now - ago, entry)
      await printAll(sources, options)
    } finally {
      for (const each of alerts) void each.return()
    }
  })
}

/** A reading of a pin, with the place and the name of the pin. Without a reading: a gap. */
interface Shown extends Target {
  readonly named: NamedPin | undefined
  readonly reading: { readonly pin_type: keyof typeof PIN_UNITS; readonly value: number } | undefined
}

/** What was read of pins in the last `since` milliseconds, the oldest first. */
async function pastOf(device: Device, pins: readonly Omit<Shown, 'reading'>[], since: number, signal: AbortSignal) {
  const rows = pins.map(async ({ slot, pin, named }) => {
    const path = `io/${slot}/input/values${named?.from === 'current' ? '/current' : ''}`
    const { ago_milliseconds: ages, series } = await device.past(path, { since, signal })
    const own = series.filter((each) => each['pin'] === pin && Object.hasOwn(PIN_UNITS, String(each['pin_type'])))
    return ages.flatMap((ago, index): readonly (Shown & { readonly ago: number })[] => {
      const place = { ago, slot, pin, named }
      const readings = own.flatMap(({ values, pin_type }) => {
        const value = values[index] ?? null
        return value === null ? [] : [{ ...place, reading: { pin_type: pin_type as keyof typeof PIN_UNITS, value } }]
      })
      return readings.length === 0 ? [{ ...place, reading: undefined }] : readings
    })
  })
  return (await Promise.all(rows)).flat().sort((one, other) => other.ago - one.ago)
}

/** `slotwire alerts 3/1`. */
export function alertsCommand(context: CommandContext): Command {
  const command = deviceCommand('alerts', 'Follow the alerts of pins', 'alerts 3/1 3/2', 'alerts 3/1 --count 1')
  type Call = DeviceCall<LiveOptions>
  return onDevice(withCount(command).argument(...PINS), context, async (call: Call, typed: readonly NamedTarget[]) => {
    const { device, signal, options } = call
    const pins = await Promise.all(typed.map((each) => placeOf(device, each, signal)))
    const print = (alert: Alert): void => {
      const { slot, pin, name, alerts, at = isoTime(context.wallTime()) } = alert
      const row = { time: at, pin: `${slot}/${pin}`, name, alerts: alerts.join(' ') }
      context.print(formatLine(row, options.format, alert))
    }
    const sources = pins.map(({ slot, pin }) => ({ inbox: device.io(slot).pin(pin).alerts({ signal }), print }))
    await printAll(sources, options, context.hint)
  })
}

/** Words separated by commas. */
const list = (text: string): readonly string[] => text.split(',').map((word) => word.trim())
const slots = (text: string): readonly number[] => list(text).map(slotNumber)

interface FilterOptions extends LiveOptions {
  readonly kinds?: readonly string[]
  readonly slots?: readonly number[]
}

const withFilter = (command: Command): Command =>
  command
    .option('--kinds <kinds>', 'Only records of these kinds, as alert,module', list)
    .option('--slots <slots>', 'Only records of these slots, as 3,5', slots)

/** A record in words: its own fields follow the place. */
function recordRow({ id, at, kind, slot, service, session: _, up_ms: __, twin_ms: ___, ...own }: JournalRecord): Row {
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
  const details = Object.entries(own).map(([name, value]) => `${name}=${textOf(value)}`)
  const place = slot === undefined ? '' : `${String(service)}/${Number(slot)}`
  return { id: String(id), time: String(at), kind, place, details: details.join(' ') }
}

/** `slotwire events`. */
export function eventsCommand(context: CommandContext): Command {
  const command = deviceCommand('events', 'Follow everything that happens', 'events', 'events --kinds alert,module --json')
  return onDevice(withFilter(withCount(command)), context, ({ device, signal, options }: DeviceCall<FilterOptions>) => {
    const { kinds, slots: of, format } = options
    const print = (record: JournalRecord): void => context.print(formatLine(recordRow(record), format, record))
    return printAll([{ inbox: device.events({ kinds, slots: of, signal }), print }], options, context.hint)
  })
}

/** `slotwire history`. */
export function historyCommand(context: CommandContext): Command {
  const lines = ['history --kinds alert', 'history --since 2026-11-23T19:00:00Z --csv']
  const command = withFilter(withCount(deviceCommand('history', 'Show what happened before', ...lines)))
  command.option('--since <id or time>', 'Only records after this id or time')
  type Call = DeviceCall<FilterOptions & { readonly since?: string }>
  return onDevice(command, context, async ({ device, signal, options }: Call) => {
    const records: JournalRecord[] = []
    const { kinds, slots: of, since, count = MAX_RECORDS } = options
    for await (const record of device.history({ kinds, slots: of, since, count: PAGE, signal })) {
      records.push(record)
      if (records.length > count) records.shift()
    }
    context.print(formatRows(records.map(recordRow), options.format, records))
    if (records.length === 0) context.hint('Nothing is recorded.\n')
  })
}

/** Records of one request. */
const PAGE = 1000
/** Of a history without `--count`: the newest. */
const MAX_RECORDS = 10_000

const BARS = '▁▂▃▄▅▆▇█'
/** Values in a sparkline. */
const MAX_VALUES = 40
const FIXED_WIDTH = 30
/** Without line wrap what does not fit is cut, so that each pin stays one line (DECAWM). */
const NO_WRAP = '\x1b[?7l'
const WRAP = '\x1b[?7h'
/** An alert is shown in this many redraws. */
const FLASHES = 8

interface Line {
  readonly values: number[]
  unit: string
  /** Quantity and name, if the pin has them. */
  named: string
  alerts: string
  flashes: number
}

/** Pins on a terminal, drawn again at each change: value, unit, the last values as a sparkline, and alerts. */
export class LiveTable {
  readonly #width: number
  readonly #lines = new Map<string, Line>()
  #drawn = 0

  constructor(
    private readonly print: (text: string) => void,
    { columns }: { readonly columns: number },
  ) {
    this.#width = Math.max(1, Math.min(MAX_VALUES, columns - FIXED_WIDTH))
  }

  set(pin: string, value: number, unit: string, named = ''): void {
    const line = this.#at(pin)
    line.unit = unit
    line.named = named
    line.values.push(value)
    if (line.values.length > this.#width) line.values.shift()
    this.#draw()
  }

  flash(pin: string, alerts: readonly string[]): void {
    const line = this.#at(pin)
    line.alerts = alerts.join(' ')
    line.flashes = FLASHES
    this.#draw()
  }

  #at(pin: string): Line {
    const line = this.#lines.get(pin) ?? { values: [], unit: '', named: '', alerts: '', flashes: 0 }
    this.#lines.set(pin, line)
    return line
  }

  #draw(): void {
    const rows = [...this.#lines].map(([pin, line]) => {
      const value = visible(`${line.values.at(-1) ?? ''} ${line.unit}`)
      const alert = line.flashes > 0 ? colors.inverse(colors.red(` ${visible(line.alerts)} `)) : ''
      line.flashes = Math.max(0, line.flashes - 1)
      return `\x1b[2K${pin.padEnd(5)}${value.padStart(12)}  ${sparkline(line.values)} ${visible(line.named)}${alert}\n`
    })
    const up = this.#drawn === 0 ? '' : `\x1b[${this.#drawn}A`
    this.print(`${NO_WRAP}${up}${rows.join('')}${WRAP}`)
    this.#drawn = rows.length
  }
}

/** Values as bars, from the lowest to the highest of them. */
export function sparkline(values: readonly number[]): string {
  const [lowest, highest] = [Math.min(...values), Math.max(...values)]
  const step = (highest - lowest) / (BARS.length - 1)
  return values.map((value) => BARS[step === 0 ? 0 : Math.round((value - lowest) / step)]).join('')
}
