import { Card } from '../parts/card.tsx'
import { Value } from '../parts/value.tsx'
import { useReading } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Facts } from './facts.tsx'

/** Voltages and temperatures of the mainboard. */
export function MainboardCard({ slot }: { readonly slot: number }) {
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
