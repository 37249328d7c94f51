import { Action } from '../controls/action.tsx'
import { ChoiceInput } from '../controls/choice-input.tsx'
import { FormField } from '../controls/field.tsx'
import { useForm } from '../controls/form.ts'
import { Card } from '../parts/card.tsx'
import { Facts } from '../parts/facts.tsx'
import { ModulePage } from '../parts/module-page.tsx'
import { Value } from '../parts/value.tsx'
import { useReading, useStore } from '../store/use-store.ts'
import { moduleWrite } from '../store/write.ts'
import { useTexts } from '../texts/use-texts.ts'
import { BootloaderCard } from './bootloader-card.tsx'
import { ResetCard } from './reset-card.tsx'
import { UsbCard } from './usb-card.tsx'
import { WatchdogCard } from './watchdog-card.tsx'

const FIRST_SOUND = 2
const SHORT_MS = 200

/** The page of one bmc module. */
export function BmcPage({ slot }: { readonly slot: number }) {
  return (
    <ModulePage service="bmc" slot={slot}>
      {(module) => (
        <div class="columns">
          <div class="stack">
            <WatchdogCard slot={slot} />
            <ResetCard slot={slot} />
            <BootloaderCard module={module} />
          </div>
          <div class="stack">
            <UsbCard module={module} />
            <MainboardCard slot={slot} />
            <BuzzerCard slot={slot} />
          </div>
        </div>
      )}
    </ModulePage>
  )
}

/** Voltages and temperatures of the mainboard. */
function MainboardCard({ slot }: { readonly slot: number }) {
  const { device, system } = useTexts()
  const voltage = useReading('bmc', slot, 'getVoltage', 1000)
  const temperature = useReading('bmc', slot, 'getTemperature', 1000)
  return (
    <Card title={system.board.mainboard}>
      <Facts
        facts={[
          [system.board.voltage_1v8, <Value reading={voltage} pick={(reply) => reply.voltage_1v8} unit="mV" />],
          [system.board.voltage_rtc, <Value reading={voltage} pick={(reply) => reply.voltage_rtc} unit="mV" />],
          [device.sensors.ntc_0, <Value reading={temperature} pick={(reply) => reply.ntc_0} unit="°C" />],
          [device.sensors.ntc_1, <Value reading={temperature} pick={(reply) => reply.ntc_1} unit="°C" />],
        ]}
      />
    </Card>
  )
}

/** Plays a sound, or switches the mainboard's own sounds. */
function BuzzerCard({ slot }: { readonly slot: number }) {
  const texts = useTexts()
  const { buzzer, buzzerMode, buzzerModes, buzzerSend, buzzerTime } = texts.system
  const form = useForm('bmc', 'setBuzzer', { mode: FIRST_SOUND, duration: SHORT_MS })
  const { mode } = form.input.value
  const isSound = mode >= FIRST_SOUND
  return (
    <Card title={buzzer}>
      <ChoiceInput
        label={buzzerMode}
        choices={buzzerModes}
        value={buzzerModes[mode]}
        onChange={(chosen) => {
          form.input.value = { ...form.input.peek(), mode: buzzerModes.indexOf(chosen) }
        }}
      />
      <div class="fields">
        {isSound && <FormField form={form} name="duration" label={buzzerTime} />}
        <Action
          write={moduleWrite(useStore(), 'bmc', slot, 'setBuzzer', form.input.value)}
          label={isSound ? buzzerSend : texts.set}
        />
      </div>
    </Card>
  )
}
