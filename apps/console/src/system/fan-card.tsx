import * as clients from '@slotwire/modules/clients'
import { SendChoice } from '../controls/send-choice.tsx'
import { Card } from '../parts/card.tsx'
import { Facts } from '../parts/facts.tsx'
import { quantityText } from '../parts/format.ts'
import { Value } from '../parts/value.tsx'
import { useReading, useStore } from '../store/use-store.ts'
import { moduleWrite } from '../store/write.ts'
import { useLanguage, useTexts } from '../texts/use-texts.ts'

const MODES = clients.power.contract.endpoints.setFan.body.properties.fan_mode.enum

/** The temperatures of the supply, and the fan: who controls it, its mode, and its speed if that is measured. */
export function FanCard({ slot }: { readonly slot: number }) {
  const { system, device } = useTexts()
  const language = useLanguage()
  const store = useStore()
  const reading = useReading('power', slot, 'getFan', 1000)
  const heat = useReading('power', slot, 'getTemperature', 1000)
  const rpm = useReading('power', slot, 'getFanRpm', 1000)
  const { fan_forced: isForced, fan_current_mode: current, fan_setting_mode: setting } = reading.value.value ?? {}
  const isMeasured = rpm.value.value?.enabled
  const { automatic, forced } = system.fanControls
  /** As fast as it is now: this choice alone never stops the fan. */
  const present = MODES.find((mode) => mode > 0 && mode >= (current ?? 0))
  const set = (fan_mode: (typeof MODES)[number] | undefined) =>
    moduleWrite(store, 'power', slot, 'setFan', {
      fan_forced: fan_mode !== undefined,
      ...(fan_mode === undefined ? {} : { fan_mode }),
    })
  return (
    <Card title={device.fan}>
      <Facts
        facts={[
          [device.sensors.on_board_temp, <Value reading={heat} pick={(reply) => reply.on_board_temp} unit="°C" />],
          [device.sensors.pmc_temp, <Value reading={heat} pick={(reply) => reply.pmc_temp} unit="°C" />],
          [system.fan.fanNow, <Value reading={reading} pick={(fan) => fan.fan_current_mode} unit="%" />],
          [
            system.fan.fanSpeed,
            isMeasured === false ? (
              <span class="muted">{device.rpmOff}</span>
            ) : (
              <Value reading={rpm} pick={(fan) => fan.rpm} unit="rpm" />
            ),
          ],
        ]}
      />
      <SendChoice
        label={system.fan.fanControl}
        choices={[automatic, forced]}
        value={isForced === undefined ? undefined : isForced ? forced : automatic}
        writeOf={(chosen) => set(chosen === forced ? present : undefined)}
      />
      <SendChoice label={forced} choices={MODES} unit="%" value={isForced === true ? setting : undefined} writeOf={set} />
      {isForced === true && setting !== undefined && setting !== current && (
        <p class="muted">{system.fanDelay(quantityText(setting, '%', language))}</p>
      )}
      <SendChoice
        label={system.fan.fanMeasure}
        choices={['true', 'false']}
        value={isMeasured === undefined ? undefined : isMeasured ? 'true' : 'false'}
        writeOf={(chosen) => moduleWrite(store, 'power', slot, 'setFanRpm', { measurement_enabled: chosen === 'true' })}
      />
    </Card>
  )
}
