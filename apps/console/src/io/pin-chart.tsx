import { useComputed } from '@preact/signals'
import { Chart } from '../chart/chart.tsx'
import { useTexts } from '../texts/use-texts.ts'
import type { PinProperties } from './pin-properties.ts'
import { UNITS } from './pin-traces.ts'
import type { Threshold } from './setup/use-threshold.ts'
import type { PinAlert } from './use-alerts.ts'

interface Properties extends PinProperties {
  readonly threshold: Threshold
  readonly alerts: readonly PinAlert[]
}

/** How far an arrow key moves the threshold. */
const STEP_MILLIVOLT = 50

/** The course of a pin's value, its alerts, and its threshold as a line to move. */
export function PinChart({ state: { pin, mode }, values, traces, view, threshold, alerts }: Properties) {
  const texts = useTexts()
  const type = useComputed(() => values.value.value?.pins.find((each) => each.pin === pin)?.pin_type ?? 'voltage_millivolt').value
  const { form, isSent, range } = threshold
  const { threshold_millivolt: value, trigger } = form.input.value
  const hasLine = mode === 'analog' && type === 'voltage_millivolt' && trigger !== 'disabled' && Number.isInteger(value)
  return (
    <Chart
      key={type}
      label={texts.io.chart(pin)}
      trace={traces.of(pin, type)}
      series={[{ label: texts.pin(pin), unit: UNITS[type], color: pin }]}
      marks={alerts.map(({ at, flags }) => ({ at, label: flags.map((flag) => texts.io.alertMarks(flag)).join(' ') }))}
      view={view}
      line={
        hasLine
          ? {
              label: isSent ? texts.io.limit.threshold : texts.io.limit.thresholdDraft,
              value,
              unit: UNITS[type],
              ...range,
              step: STEP_MILLIVOLT,
              onMove: (moved) => {
                form.input.value = { ...form.input.peek(), threshold_millivolt: moved }
              },
            }
          : undefined
      }
    />
  )
}
