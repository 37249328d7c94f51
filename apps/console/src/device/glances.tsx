import { useComputed } from '@preact/signals'
import { modesIn, type PinType, pinNumbers, UNITS } from '../io/pin-state.ts'
import { Facts } from '../parts/facts.tsx'
import { quantityText } from '../parts/format.ts'
import { Value } from '../parts/value.tsx'
import { RAILS } from '../store/rail-power.ts'
import { useReading } from '../store/use-store.ts'
import { useLanguage, useTexts } from '../texts/use-texts.ts'

const SECOND_MS = 1000
const SLOW_MS = 5000

interface PinsProperties {
  readonly slot: number
  readonly state: Readonly<Record<string, unknown>>
  /** Pins with an alert in the last minutes. */
  readonly alerts: readonly number[]
}

/** Mode and value of each pin, and whether it has alerts. */
export function PinsGlance({ slot, state, alerts }: PinsProperties) {
  const texts = useTexts()
  const values = useReading('io', slot, 'getInputValues', SECOND_MS)
  const types = useComputed(() => values.value.value?.pins.map(({ pin_type: type }) => type).join() ?? '').value.split(',')
  const modes = modesIn(state)
  return (
    <dl class="glance">
      {pinNumbers.map((pin, index) => (
        <div key={pin} data-mode={modes.get(pin)} data-tone={alerts.includes(pin) ? 'warn' : undefined}>
          <dt>
            <span class="hidden-text">{texts.pin(pin)}</span>
            <span class="pin" aria-hidden="true">
              {pin}
            </span>
          </dt>
          <dd class="mode">
            {texts.device.modes[modes.get(pin) ?? 'unknown']}
            {alerts.includes(pin) && <strong> {texts.device.alert}</strong>}
          </dd>
          <dd>
            <Value
              reading={values}
              pick={({ pins }) => pins.find((each) => each.pin === pin)?.value}
              unit={UNITS[types[index] as PinType] ?? ''}
            />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Voltages of the rails, heat and fan of the supply. */
export function SupplyGlance({ slot }: { readonly slot: number }) {
  const { rails, sensors, fan, fanForced, fanAutomatic } = useTexts().device
  const stats = useReading('power', slot, 'getStats', SECOND_MS)
  const heat = useReading('power', slot, 'getTemperature', SLOW_MS)
  const cooling = useReading('power', slot, 'getFan', SLOW_MS)
  const isForced = useComputed(() => cooling.value.value?.fan_forced === true)
  return (
    <Facts
      look="glance"
      facts={[
        ...RAILS.map(
          (rail) => [rails[rail], <Value reading={stats} pick={(all) => all[`voltage_${rail}`]} unit="mV" />] as const,
        ),
        [sensors.on_board_temp, <Value reading={heat} pick={({ on_board_temp: celsius }) => celsius} unit="°C" />],
        [sensors.pmc_temp, <Value reading={heat} pick={({ pmc_temp: celsius }) => celsius} unit="°C" />],
        [
          `${fan} (${isForced.value ? fanForced : fanAutomatic})`,
          <Value reading={cooling} pick={({ fan_current_mode: percent }) => percent} unit="%" />,
        ],
      ]}
    />
  )
}

/** Watchdog, the time for a shutdown, and temperatures of the mainboard. */
export function BoardGlance({ slot }: { readonly slot: number }) {
  const { watchdog, watchdogOff, shutdown, sensors } = useTexts().device
  const language = useLanguage()
  const dog = useReading('bmc', slot, 'getWatchdog', SECOND_MS)
  const heat = useReading('bmc', slot, 'getTemperature', SLOW_MS)
  const isOff = useComputed(() => dog.value.value?.timeout === 0).value
  const wordOf = (left: number): string => (isOff ? watchdogOff : quantityText(left, 'ms', language))
  return (
    <Facts
      look="glance"
      facts={[
        [watchdog, <Value reading={dog} pick={({ timeout_left: left }) => left} unit="" wordOf={wordOf} />],
        [shutdown, <Value reading={dog} pick={({ shutdown_timeout: ms }) => ms} unit="ms" />],
        [sensors.ntc_0, <Value reading={heat} pick={({ ntc_0: celsius }) => celsius} unit="°C" />],
        [sensors.ntc_1, <Value reading={heat} pick={({ ntc_1: celsius }) => celsius} unit="°C" />],
      ]}
    />
  )
}
