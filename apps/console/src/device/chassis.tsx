import { useComputed } from '@preact/signals'
import { RAILS } from '@slotwire/core'
import * as clients from '@slotwire/modules/clients'
import { modesIn, type PinType, pinNumbers, UNITS } from '../io/pin-state.ts'
import { Badge } from '../parts/badge.tsx'
import { Card } from '../parts/card.tsx'
import { Facts } from '../parts/facts.tsx'
import { quantityText } from '../parts/format.ts'
import { problemText, useProblems } from '../parts/problem-list.tsx'
import { Value } from '../parts/value.tsx'
import type { Problem } from '../store/problem.ts'
import { useReading, useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'

const { max: LAST_SLOT } = clients.bmc.contract.endpoints.setUsbSlot.parameters.number
const SECOND_MS = 1000
const SLOW_MS = 5000
const SLOTS = Array.from({ length: LAST_SLOT + 1 }, (_, slot) => slot)

/** The slots as on the device, with what is in them. */
export function Chassis() {
  const texts = useTexts()
  const problems = useProblems()
  return (
    <Card title={texts.device.slots} aside={<DeviceState />}>
      <ol class="chassis">
        {SLOTS.map((slot) => (
          <Slot key={slot} slot={slot} problems={problems} />
        ))}
      </ol>
    </Card>
  )
}

/** Whether the device runs or restarts. */
function DeviceState() {
  const { device } = useTexts()
  const { isRestarting, link } = useStore()
  const state = isRestarting.value ? 'restarting' : link.state.value.isConnected ? 'up' : 'unknown'
  const tone = ({ restarting: 'bad', up: 'good', unknown: 'warn' } as const)[state]
  return <Badge tone={tone}>{device.states[state]}</Badge>
}

function Slot({ slot, problems }: { readonly slot: number; readonly problems: readonly Problem[] }) {
  const texts = useTexts()
  const { modules, hidden, isRestarting } = useStore()
  const module = modules.list.value.find((each) => each.slot === slot)
  const notice = modules.notices.value.get(slot)?.what
  const hung = modules.hung.value.get(slot)
  const problem = problems.find((each) => each.kind === 'unreadable' && each.slot === slot)
  const alerts = problems.flatMap((each) => (each.kind === 'alerts' && each.slot === slot ? [each.pin] : []))
  const empty = hidden.value.length === 0 ? texts.device.empty : texts.device.emptyOrHidden
  const gone = isRestarting.value ? texts.device.states.restarting : texts.device.gone
  if (module === undefined)
    return (
      <li class="slot" data-state={hung === undefined ? (notice ?? 'empty') : 'hung'}>
        <span class="slot-number">{slot}</span>
        <span class="empty">
          <span class="hidden-text">{texts.slot(slot)}: </span>
          {hung !== undefined ? texts.device.hung(texts.service(hung)) : notice === 'left' ? gone : empty}
        </span>
      </li>
    )
  const { service, state } = module
  return (
    <li class="slot" data-state={notice ?? 'used'} data-service={service}>
      <header>
        <span class="slot-number" aria-hidden="true">
          {slot}
        </span>
        <a href={`#/${service}/${slot}`}>
          {texts.service(service)}
          <span class="hidden-text"> {texts.slot(slot)}</span>
        </a>
      </header>
      {notice === 'new-session' && <small class="error">{texts.device.lostSession}</small>}
      {problem !== undefined && <small class="error">{problemText(problem, texts)}</small>}
      {service === 'io' && <PinsGlance slot={slot} state={state} alerts={alerts} />}
      {service === 'power' && <SupplyGlance slot={slot} />}
      {service === 'bmc' && <BoardGlance slot={slot} />}
    </li>
  )
}

interface PinsProperties {
  readonly slot: number
  readonly state: Readonly<Record<string, unknown>>
  /** Pins with an alert in the last minutes. */
  readonly alerts: readonly number[]
}

/** Mode and value of each pin, and whether it has alerts. */
function PinsGlance({ slot, state, alerts }: PinsProperties) {
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
            {texts.word(modes.get(pin) ?? 'unknown')}
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
function SupplyGlance({ slot }: { readonly slot: number }) {
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
function BoardGlance({ slot }: { readonly slot: number }) {
  const texts = useTexts()
  const { watchdog, watchdogOff, shutdown, sensors } = texts.device
  const dog = useReading('bmc', slot, 'getWatchdog', SECOND_MS)
  const heat = useReading('bmc', slot, 'getTemperature', SLOW_MS)
  const isOff = useComputed(() => dog.value.value?.timeout === 0).value
  const wordOf = (left: number): string => (isOff ? watchdogOff : quantityText(left, 'ms', texts.language))
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
