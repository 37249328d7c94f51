import { Card } from '../parts/card.tsx'
import { Value } from '../parts/value.tsx'
import { useReading } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'

const FAN_MS = 2000
const TEMPERATURE_MS = 5000

/** Temperatures of the supply and the mainboard, and the fan. */
export function CoolingCard({ power, bmc }: { readonly power: number | undefined; readonly bmc: number | undefined }) {
  const texts = useTexts()
  return (
    <Card title={texts.device.temperatures}>
      <dl class="facts">
        {bmc !== undefined && <BoardTemperatures slot={bmc} />}
        {power !== undefined && <SupplyTemperatures slot={power} />}
        {power !== undefined && <FanState slot={power} />}
      </dl>
    </Card>
  )
}

function BoardTemperatures({ slot }: { readonly slot: number }) {
  const { sensors } = useTexts().device
  const reading = useReading('bmc', slot, 'getTemperature', TEMPERATURE_MS)
  return (['ntc_0', 'ntc_1'] as const).map((sensor) => (
    <div key={sensor}>
      <dt>{sensors[sensor]}</dt>
      <dd>
        <Value reading={reading} pick={(all) => all[sensor]} unit="°C" />
      </dd>
    </div>
  ))
}

function SupplyTemperatures({ slot }: { readonly slot: number }) {
  const { sensors } = useTexts().device
  const reading = useReading('power', slot, 'getTemperature', TEMPERATURE_MS)
  return (['on_board_temp', 'pmc_temp'] as const).map((sensor) => (
    <div key={sensor}>
      <dt>{sensors[sensor]}</dt>
      <dd>
        <Value reading={reading} pick={(all) => all[sensor]} unit="°C" />
      </dd>
    </div>
  ))
}

function FanState({ slot }: { readonly slot: number }) {
  const { fan, fanForced, fanAutomatic, rpm, rpmOff } = useTexts().device
  const mode = useReading('power', slot, 'getFan', FAN_MS)
  const speed = useReading('power', slot, 'getFanRpm', FAN_MS).value.value
  const isForced = mode.value.value?.fan_forced
  return (
    <div>
      <dt>{fan}</dt>
      <dd>
        {isForced !== undefined && <span class="muted">{isForced ? fanForced : fanAutomatic} · </span>}
        <Value reading={mode} pick={({ fan_current_mode: percent }) => percent} unit="%" />
        {speed !== undefined && <span class="muted"> · {speed.enabled ? rpm(speed.rpm) : rpmOff}</span>}
      </dd>
    </div>
  )
}
