import type { NamedPin } from '@slotwire/contract'
import { isoTime, visible } from '@slotwire/core'
import type { Command } from 'commander'
import { type Alert, type Device, type Inbox, isGap, type JournalRecord } from '../client.ts'
import { colors, type Row } from '../terminal/text.ts'
import { wholeNumber, words } from '../terminal/word.ts'
import { formatLine, formatRows } from './output.ts'
import { namedCells, namedPins, PIN_UNITS, placeOf } from './pin-state.ts'
import type { RemoteContext } from './remote-context.ts'
import { duration, type NamedTarget, namedTarget, slotNumber, type Target } from './values.ts'
import { type DeviceCommandOptions, deviceCommand, withDevice } from './with-device.ts'

const MAX_COUNT = 1_000_000
const EVERY_MS = 250
const PINS = 'slots and pins, as in 3/1, or names'

interface LiveOptions extends DeviceCommandOptions {
  readonly count?: number
}

const withCount = (command: Command): Command =>
  command.option('--count <number>', 'End after so many lines', wholeNumber('count', 1, MAX_COUNT))

/** Prints what arrives in any of these, until `count` is reached or all end. */
async function printAll<Item>(
  inboxes: readonly Inbox<Item>[],
  count: number,
  print: (item: Item) => void,
  onGap: (missing: number | undefined) => void,
): Promise<void> {
  let left = count
  await Promise.all(
    inboxes.map(async (inbox) => {
      for await (const entry of inbox) {
        if (left === 0) return
        if (isGap(entry)) onGap(entry.missing)
        else print(entry)
        left--
        if (left > 0) continue
        for (const each of inboxes) void each.return()
      }
    }),
  )
}

const gapHint = (context: RemoteContext) => (missing: number | undefined) =>
  context.hint(`${missing ?? 'an unknown number'} of entries are lost.\n`)

/** `slotwire watch 3/1 3/2`. */
export function watchCommand(context: RemoteContext): Command {
  return withCount(
    deviceCommand('watch', 'Follow the values of pins', 'watch 3/1 3/2 --every 1s --count 10', 'watch 3/1 --since 10m --csv'),
  )
    .argument('<pins...>', PINS, words(namedTarget))
    .option('--every <time>', 'Look this often, 50ms to 1h (default: 250ms)', duration('every'))
    .option('--since <time>', 'Begin with what was read in this time, 1s to 1h', duration('since'))
    .action((given: readonly NamedTarget[], options: LiveOptions & { readonly every?: number; readonly since?: number }) =>
      withDevice(options, context, async (device, signal) => {
        const count = options.count ?? Number.POSITIVE_INFINITY
        const pins = await Promise.all(given.map((each) => placeOf(device, each, signal)))
        const all = await namedPins(device, signal)
        const inboxes = pins.map(({ slot, pin }) => {
          const named = all.find((each) => each.slot === slot && each.pin === pin)
          const followed = { every: options.every ?? EVERY_MS, signal }
          const of = device.io(slot).pin(pin)
          // The reading that the quantity is made of.
          return { slot, pin, named, inbox: named?.from === 'current' ? of.currents(followed) : of.values(followed) }
        })
        const areNamed = inboxes.some(({ named }) => named !== undefined)
        const table =
          options.format === 'table' && context.terminal !== undefined
            ? new LiveTable(context.print, context.terminal)
            : undefined
        const alerts = table === undefined ? [] : pins.map(({ slot, pin }) => device.io(slot).pin(pin).alerts({ signal }))
        const flash = async (inbox: Inbox<Alert>): Promise<void> => {
          for await (const alert of inbox) if (!isGap(alert)) table?.flash(`${alert.slot}/${alert.pin}`, alert.alerts)
        }
        // A read-only token may watch values where it may not clear alerts. Other failures end the values, too.
        for (const each of alerts) void flash(each).catch(() => undefined)
        let left = count
        const show = (atMs: number, { slot, pin, named, reading }: Shown): void => {
          const unit = reading === undefined ? '' : PIN_UNITS[reading.pin_type]
          const row = { time: isoTime(atMs), pin: `${slot}/${pin}`, value: reading?.value, unit }
          const cells = areNamed ? namedCells(named, [reading], options.format) : {}
          if (table === undefined) context.print(formatLine({ ...row, ...cells }, options.format))
          else if (reading !== undefined)
            table.set(row.pin, reading.value, unit, Object.values(cells).filter(Boolean).reverse().join(' '))
        }
        const showNew = (entry: Shown): void => {
          if (left === 0) return
          show(context.wallTime(), entry)
          left--
          if (left === 0) for (const { inbox } of inboxes) void inbox.return()
        }
        try {
          const past = options.since === undefined ? [] : await pastOf(device, inboxes, options.since, signal)
          const now = context.wallTime()
          // A terminal shows the newest only.
          for (const { ago, ...entry } of past.slice(table === undefined ? 0 : -MAX_VALUES * pins.length)) show(now - ago, entry)
          await Promise.all(
            inboxes.map(async ({ slot, named, inbox }) => {
              for await (const entry of inbox) {
                if (isGap(entry)) continue
                showNew({ slot, pin: entry.pin, named, reading: entry })
              }
            }),
          )
        } finally {
          for (const each of alerts) void each.return()
        }
      }),
    )
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
export function alertsCommand(context: RemoteContext): Command {
  return withCount(deviceCommand('alerts', 'Follow the alerts of pins', 'alerts 3/1 3/2', 'alerts 3/1 --count 1'))
    .argument('<pins...>', PINS, words(namedTarget))
    .action((given: readonly NamedTarget[], options: LiveOptions) =>
      withDevice(options, context, async (device, signal) => {
        const pins = await Promise.all(given.map((each) => placeOf(device, each, signal)))
        await printAll(
          pins.map(({ slot, pin }) => device.io(slot).pin(pin).alerts({ signal })),
          options.count ?? Number.POSITIVE_INFINITY,
          (alert) => {
            const { slot, pin, name, alerts, at = isoTime(context.wallTime()) } = alert
            const row = { time: at, pin: `${slot}/${pin}`, name, alerts: alerts.join(' ') }
            context.print(formatLine(row, options.format, alert))
          },
          gapHint(context),
        )
      }),
    )
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
  const details = Object.entries(own).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const place = slot === undefined ? '' : `${String(service)}/${Number(slot)}`
  return { id: String(id), time: String(at), kind, place, details: details.join(' ') }
}

/** `slotwire events`. */
export function eventsCommand(context: RemoteContext): Command {
  return withFilter(
    withCount(deviceCommand('events', 'Follow everything that happens', 'events', 'events --kinds alert,module --json')),
  ).action((options: FilterOptions) =>
    withDevice(options, context, (device, signal) =>
      printAll(
        [device.events({ kinds: options.kinds, slots: options.slots, signal })],
        options.count ?? Number.POSITIVE_INFINITY,
        (record) => context.print(formatLine(recordRow(record), options.format, record)),
        gapHint(context),
      ),
    ),
  )
}

/** `slotwire history`. */
export function historyCommand(context: RemoteContext): Command {
  return withFilter(
    withCount(
      deviceCommand(
        'history',
        'Show what happened before',
        'history --kinds alert',
        'history --since 2026-11-23T19:00:00Z --csv',
      ),
    ),
  )
    .option('--since <id or time>', 'Only records after this id or time')
    .action((options: FilterOptions & { readonly since?: string }) =>
      withDevice(options, context, async (device, signal) => {
        const records: JournalRecord[] = []
        const { kinds, slots: of, since, count = MAX_RECORDS } = options
        for await (const record of device.history({ kinds, slots: of, since, count: PAGE, signal })) {
          records.push(record)
          if (records.length > count) records.shift()
        }
        context.print(formatRows(records.map(recordRow), options.format, records))
        if (records.length === 0) context.hint('Nothing is recorded.\n')
      }),
    )
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
