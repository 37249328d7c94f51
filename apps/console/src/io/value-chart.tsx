import { effect } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { Chart } from '../chart/chart.tsx'
import { Trace } from '../chart/trace.ts'
import { Card } from '../parts/card.tsx'
import { useReading, useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'

const PINS = [1, 2, 3, 4, 5, 6]
const EVERY_MS = 250

/** The course of all pins. */
export function ValueChart({ slot }: { readonly slot: number }) {
  const texts = useTexts()
  const { wallTime } = useStore()
  const values = useReading('io', slot, 'getInputValues', EVERY_MS)
  const trace = useMemo(() => new Trace(PINS.length), [slot])
  useEffect(
    () =>
      effect(() => {
        const { value, isStale } = values.value
        if (isStale) trace.interrupt(wallTime())
        else if (value !== undefined)
          trace.push(
            wallTime(),
            value.pins.map((pin) => pin.value),
            EVERY_MS,
          )
      }),
    [trace, values],
  )
  return (
    <Card title={texts.values}>
      <Chart label={texts.values} trace={trace} series={PINS.map((pin) => ({ label: texts.pin(pin), unit: 'mV', color: pin }))} />
    </Card>
  )
}
