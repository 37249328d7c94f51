import { useSignal } from '@preact/signals'
import { useTexts } from '../texts/use-texts.ts'
import { LastAlert } from './last-alert.tsx'
import { PinChart } from './pin-chart.tsx'
import { PinFacts } from './pin-facts.tsx'
import type { PinProperties } from './pin-properties.ts'
import { PinSummary } from './pin-summary.tsx'
import { PinSetup } from './setup/pin-setup.tsx'
import { useThreshold } from './setup/use-threshold.ts'
import { useAlerts } from './use-alerts.ts'
import { useNarrow } from './use-narrow.ts'

/** One pin: a card with a chart, and on a phone a line of a list that opens. */
export function PinCard(properties: PinProperties) {
  const texts = useTexts()
  const isOpen = useSignal(false)
  if (!useNarrow())
    return (
      <section class="card pin" aria-label={texts.pin(properties.state.pin)} data-pin={properties.state.pin}>
        <header>
          <PinSummary {...properties} />
        </header>
        <PinBody {...properties} />
      </section>
    )
  return (
    <details
      class="card pin"
      data-pin={properties.state.pin}
      open={isOpen.value}
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open
      }}
    >
      <summary>
        <PinSummary {...properties} />
      </summary>
      {isOpen.value && <PinBody {...properties} />}
    </details>
  )
}

function PinBody(properties: PinProperties) {
  const { slot, state } = properties
  const threshold = useThreshold(state)
  const alerts = useAlerts(slot, state.pin)
  return (
    <>
      <PinFacts {...properties} />
      <PinChart {...properties} threshold={threshold} alerts={alerts} />
      <LastAlert alert={alerts.at(-1)} />
      <PinSetup slot={slot} state={state} threshold={threshold} />
    </>
  )
}
