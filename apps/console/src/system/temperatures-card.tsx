import { Card } from '../parts/card.tsx'
import { Value } from '../parts/value.tsx'
import { useReading } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Facts } from './facts.tsx'

/** The temperatures of a supply. */
export function TemperaturesCard({ slot }: { readonly slot: number }) {
  const { device } = useTexts()
  const reading = useReading('power', slot, 'getTemperature', 1000)
  return (
    <Card title={device.temperatures}>
      <Facts
        facts={[
          [device.sensors.on_board_temp, <Value reading={reading} pick={(reply) => reply.on_board_temp} unit="°C" />],
          [device.sensors.pmc_temp, <Value reading={reading} pick={(reply) => reply.pmc_temp} unit="°C" />],
        ]}
      />
    </Card>
  )
}
