import { effect, useComputed } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { Chart } from '../chart/chart.tsx'
import { Trace } from '../chart/trace.ts'
import { Value } from '../parts/value.tsx'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import { BENCH } from './api-document.ts'
import { useBench } from './bench-data.ts'
import type { Measured } from './bench-types.ts'

/** So often the pin is measured, in milliseconds. */
const PIN_MS = 100
const MILLI = 1000
const SERIES = 2

/** Voltage and current of a pin as a multimeter would show them, and their course. Give it a `key` for each pin. */
export function PinChart({ place }: { readonly place: string }) {
  const texts = useTexts()
  const { wallTime } = useStore()
  const bench = useBench()
  const reading = useMemo(() => bench.reading<Measured>(`${BENCH}/pin/${place}`), [bench, place])
  const isSmall = useComputed(() => Math.abs(reading.shown.value.value?.milliampere ?? 0) < 1).value
  const trace = useMemo(() => new Trace(SERIES), [place])
  useEffect(() => reading.use(PIN_MS), [reading])
  useEffect(
    () =>
      effect(() => {
        const { value, isOld, isStale } = reading.shown.value
        if (isStale || isOld) trace.interrupt(wallTime())
        else if (value !== undefined) trace.push(wallTime(), [value.volts, value.milliampere], PIN_MS)
      }),
    [trace, reading],
  )
  return (
    <>
      <p class="measured">
        <Value reading={reading.shown} pick={({ volts }) => volts * MILLI} unit="mV" label={texts.device.electric.voltage} />
        <Value
          key={isSmall ? 'µA' : 'mA'}
          reading={reading.shown}
          pick={({ milliampere }) => Math.round(isSmall ? milliampere * MILLI : milliampere)}
          unit={isSmall ? 'µA' : 'mA'}
          label={texts.device.electric.current}
        />
      </p>
      <Chart
        label={texts.bench.course(place)}
        trace={trace}
        series={[
          { label: texts.device.electric.voltage, unit: 'V', color: 1 },
          { label: texts.device.electric.current, unit: 'mA', color: 2 },
        ]}
      />
      <small class="muted">{texts.bench.sampled(PIN_MS)}</small>
    </>
  )
}
