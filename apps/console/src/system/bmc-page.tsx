import { Card } from '../parts/card.tsx'
import { Facts } from '../parts/facts.tsx'
import { ModulePage } from '../parts/module-page.tsx'
import { Value } from '../parts/value.tsx'
import { useReading } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import { BootloaderCard } from './bootloader-card.tsx'
import { BuzzerCard } from './buzzer-card.tsx'
import { ResetCard } from './reset-card.tsx'
import { UsbCard } from './usb-card.tsx'
import { WatchdogCard } from './watchdog-card.tsx'

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
