import { type ReadonlySignal, useComputed } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Value } from '../parts/value.tsx'
import type { ReplyTo } from '../store/device-types.ts'
import type { Shown } from '../store/readings.ts'
import { useReading } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import { modesIn, pinNumbers } from './pins.ts'

const VALUES_MS = 1000
const SECOND_MS = 1000
const SLOW_MS = 5000
/** Of `pin_type`. */
const UNITS: Readonly<Record<string, string>> = { voltage_millivolt: 'mV', frequency_hertz: 'Hz', digital_input: '' }

/** Mode and value of each pin. */
export function PinsGlance({ slot, state }: { readonly slot: number; readonly state: Readonly<Record<string, unknown>> }) {
  const texts = useTexts()
  const values = useReading('io', slot, 'getInputValues', VALUES_MS)
  const modes = modesIn(state)
  return (
    <dl class="glance">
      {pinNumbers.map((pin) => (
        <div key={pin} data-mode={modes.get(pin)}>
          <dt>
            <span class="hidden-text">{texts.pin(pin)}</span>
            <span class="pin" aria-hidden="true">
              {pin}
            </span>
          </dt>
          <dd class="mode">{texts.device.modes[modes.get(pin) ?? 'unknown']}</dd>
          <dd>
            <PinValue values={values} pin={pin} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function PinValue({
  values,
  pin,
}: {
  readonly values: ReadonlySignal<Shown<ReplyTo<'io', 'getInputValues'>>>
  readonly pin: number
}) {
  const type = useComputed(() => values.value.value?.pins.find((each) => each.pin === pin)?.pin_type)
  return (
    <Value
      reading={values}
      pick={({ pins }) => pins.find((each) => each.pin === pin)?.value}
      unit={UNITS[type.value ?? ''] ?? ''}
    />
  )
}

/** Voltages of the rails, and the heat of the supply. */
export function SupplyGlance({ slot }: { readonly slot: number }) {
  const { rails, sensors } = useTexts().device
  const stats = useReading('power', slot, 'getStats', SECOND_MS)
  const heat = useReading('power', slot, 'getTemperature', SLOW_MS)
  return (
    <dl class="glance">
      {(['3v3', '5v0', '12v'] as const).map((rail) => (
        <Line key={rail} name={rails[rail]}>
          <Value reading={stats} pick={(all) => all[`voltage_${rail}`]} unit="mV" />
        </Line>
      ))}
      <Line name={sensors.on_board_temp}>
        <Value reading={heat} pick={({ on_board_temp: celsius }) => celsius} unit="°C" />
      </Line>
    </dl>
  )
}

/** Watchdog and temperatures of the mainboard. */
export function BoardGlance({ slot }: { readonly slot: number }) {
  const { watchdog, watchdogOff, sensors } = useTexts().device
  const dog = useReading('bmc', slot, 'getWatchdog', SECOND_MS)
  const heat = useReading('bmc', slot, 'getTemperature', SLOW_MS)
  const isOff = useComputed(() => dog.value.value?.timeout === 0)
  return (
    <dl class="glance">
      <Line name={watchdog}>
        {isOff.value ? watchdogOff : <Value reading={dog} pick={({ timeout_left: left }) => left} unit="ms" />}
      </Line>
      {(['ntc_0', 'ntc_1'] as const).map((sensor) => (
        <Line key={sensor} name={sensors[sensor]}>
          <Value reading={heat} pick={(all) => all[sensor]} unit="°C" />
        </Line>
      ))}
    </dl>
  )
}

function Line({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
