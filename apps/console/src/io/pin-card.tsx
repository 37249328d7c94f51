import { type ReadonlySignal, useComputed } from '@preact/signals'
import { isGap } from '@slotwire/client'
import { type NamedPin, quantityOf } from '@slotwire/contract'
import { useState } from 'preact/hooks'
import { Chart } from '../chart/chart.tsx'
import type { ChartView } from '../chart/chart-controls.tsx'
import { Badge } from '../parts/badge.tsx'
import { Facts } from '../parts/facts.tsx'
import { timeOfDay } from '../parts/format.ts'
import { Value } from '../parts/value.tsx'
import type { ReplyTo } from '../store/device-types.ts'
import type { ReadingState } from '../store/readings.ts'
import { useStore } from '../store/use-store.ts'
import { isDisabling } from '../texts/language.ts'
import { useTexts } from '../texts/use-texts.ts'
import { PinSetup } from './pin-setup.tsx'
import { type PinState, type PinType, settingWith, UNITS } from './pin-state.ts'
import type { PinTraces, PinValues } from './pin-traces.ts'
import { powerText, pwmText } from './settings-text.ts'
import { useTrigger } from './use-trigger.ts'

interface Properties {
  readonly slot: number
  readonly state: PinState
  /** What the operator calls it. */
  readonly named: NamedPin | undefined
  readonly values: ReadonlySignal<ReadingState<PinValues>>
  readonly currents: ReadonlySignal<ReadingState<ReplyTo<'io', 'getInputCurrents'>>>
  readonly traces: PinTraces
  readonly view: ChartView
}

/** As `styles/pages.css` has it: there pins are closed at first, a line of a list each. */
const NARROW = '(max-width: 50rem)'
/** Of a frequency; the fields have all. */
const BADGE_DIGITS = 4
/** Of a quantity, which is rounded. */
const MAX_DECIMALS = 15
const FIRST_MILLIVOLT = 1500
/** How far an arrow key moves the threshold. */
const STEP_MILLIVOLT = 50
const MAX_MARKS = 100

/** An alert of a pin. */
interface PinAlert {
  /** The date in milliseconds of this browser. */
  readonly at: number
  /** Names of `GET notification/<pin>`. */
  readonly flags: readonly string[]
}

/** One pin: its name, what it is, its value now, and its last alert; and all else below, while it is open. */
export function PinCard(properties: Properties) {
  const texts = useTexts()
  const { slot, state, named, values, currents } = properties
  const { signalOf } = useStore().module('io', slot)
  const { pin, mode, output } = state
  const level = settingWith('state', output)?.state
  const pwm = settingWith('period', output)
  const [isOpen, setOpen] = useState(!matchMedia(NARROW).matches)
  const alerts = useAlerts(slot, pin)
  const type = useComputed(() => values.value.value?.pins.find((each) => each.pin === pin)?.pin_type).value
  return (
    <details class="card pin" data-pin={pin} open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <h2 style={{ '--series': `var(--series-${pin})` }}>
          {texts.pin(pin)}
          {named !== undefined && <span>: {named.name}</span>}
        </h2>
        <Badge tone={mode === 'unknown' ? 'warn' : mode === 'output' || mode === 'pwm' ? 'accent' : 'quiet'}>
          {texts.io.modes[mode]}
          {level !== undefined && ` ${texts.word(level)}`}
          {pwm !== undefined && ` ${pwmText(signalOf(pwm), texts.language, BADGE_DIGITS)}`}
        </Badge>
        <Value
          reading={values}
          pick={({ pins }) => pins.find((each) => each.pin === pin)?.value}
          unit={type === undefined ? '' : UNITS[type]}
          label={texts.io.valueOf(pin)}
          {...(type === 'digital_input' && { wordOf: texts.io.level })}
        />
        {named?.from === 'current' && <QuantityValue named={named} reading={currents} />}
        {named?.from !== undefined && named.from !== 'current' && <QuantityValue named={named} reading={values} />}
        <LastAlert alert={alerts.at(-1)} />
      </summary>
      {isOpen && <PinBody {...properties} type={type ?? 'voltage_millivolt'} alerts={alerts} />}
    </details>
  )
}

interface BodyProperties extends Properties {
  readonly type: PinType
  readonly alerts: readonly PinAlert[]
}

/** Current and power, the course of the value with its alerts and its threshold as a line to move, and what can be set. */
function PinBody({ slot, state, currents, traces, view, type, alerts }: BodyProperties) {
  const texts = useTexts()
  const { pin, mode, power } = state
  const threshold = useTrigger('setAnalogThreshold', state, {
    pin,
    threshold_millivolt: FIRST_MILLIVOLT,
    trigger: 'disabled',
    ...settingWith('threshold_millivolt', state.trigger),
  })
  const { form, isSent } = threshold
  const { threshold_millivolt: value, trigger } = form.input.value
  const isWatched = trigger === 'rising' || trigger === 'falling'
  const hasLine = mode === 'analog' && type === 'voltage_millivolt' && isWatched && Number.isInteger(value)
  const schema = form.schemaOf('threshold_millivolt')
  const { minimum: min = 0, maximum: max = 0 } = 'minimum' in schema ? schema : {}
  const supply =
    power === 'unknown' ? texts.device.states.unknown : power === null ? texts.io.facts.noPower : powerText(power, texts)
  return (
    <div class="pin-body">
      <Facts
        facts={[
          [
            texts.device.electric.current,
            <Value reading={currents} pick={({ pins }) => pins.find((each) => each.pin === pin)?.value} unit="mA" />,
          ],
          [texts.io.facts.supply, supply],
        ]}
      />
      <Chart
        key={type}
        label={texts.io.chart(pin)}
        trace={traces.of(pin, type)}
        series={[{ label: texts.pin(pin), unit: UNITS[type], color: pin }]}
        marks={alerts.map(({ at, flags }) => ({ at, label: flags.map((flag) => texts.io.alertMarks(flag)).join(' ') }))}
        view={view}
        line={
          hasLine
            ? {
                label: isSent ? texts.io.limit.threshold : texts.io.limit.thresholdDraft,
                value,
                unit: UNITS[type],
                min,
                max,
                step: STEP_MILLIVOLT,
                onMove: (moved) => {
                  form.input.value = { ...form.input.peek(), threshold_millivolt: moved }
                },
              }
            : undefined
        }
      />
      <PinSetup slot={slot} state={state} threshold={threshold} />
    </div>
  )
}

/** What the operator's scale makes of a reading. */
function QuantityValue<Reply extends PinValues | ReplyTo<'io', 'getInputCurrents'>>({
  named,
  reading,
}: {
  readonly named: NamedPin
  readonly reading: ReadonlySignal<ReadingState<Reply>>
}) {
  const { language } = useTexts()
  const pick = ({ pins }: Reply) =>
    quantityOf(
      pins.find(({ pin }) => pin === named.pin),
      named,
    )?.value
  const wordOf = (value: number) => `${value.toLocaleString(language, { maximumFractionDigits: MAX_DECIMALS })} ${named.unit}`
  // With another scale it is another value, also before the next reading.
  return <Value key={JSON.stringify(named)} reading={reading} pick={pick} unit="" label={named.name} wordOf={wordOf} />
}

/** The newest alert of a pin, and what the module did. */
function LastAlert({ alert }: { readonly alert: PinAlert | undefined }) {
  const texts = useTexts()
  if (alert === undefined) return null
  return (
    <span class="last-alert" data-tone={isDisabling(alert.flags) ? 'bad' : 'warn'} role="status">
      {`${timeOfDay(alert.at, texts.language)}: ${texts.io.alerts(alert.flags)}`}
    </span>
  )
}

/** The newest alerts of a pin, oldest first. */
function useAlerts(slot: number, pin: number): readonly PinAlert[] {
  const store = useStore()
  return useComputed(() =>
    store.records.recent.value
      .flatMap((record): readonly PinAlert[] => {
        if (isGap(record) || record.kind !== 'alert' || record['slot'] !== slot || record['pin'] !== pin) return []
        return [{ at: store.wallTimeOf(record), flags: record['alerts'] as readonly string[] }]
      })
      .slice(-MAX_MARKS),
  ).value
}
