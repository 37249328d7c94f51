import { type Signal, signal, useComputed } from '@preact/signals'
import { ChartControls, useChartView } from '../chart/chart-controls.tsx'
import { Action } from '../controls/action.tsx'
import { timeOfDay } from '../parts/format.ts'
import type { ModuleView } from '../store/device-types.ts'
import { useReading, useStore } from '../store/use-store.ts'
import { moduleWrite } from '../store/write.ts'
import { useLanguage, useTexts } from '../texts/use-texts.ts'
import { LostSettings } from './lost/lost-settings.tsx'
import { hasSettings } from './lost/restore.ts'
import { PinCard } from './pin-card.tsx'
import { type PinState, pinsIn } from './pin-state.ts'
import { PowerCard } from './power/power-card.tsx'
import { usePinTraces } from './use-pin-traces.ts'

/** Up to this time shown, in milliseconds, values are read as often as the device can. */
const SHORT_WINDOW_MS = 10_000
const FAST_MS = 50
const EVERY_MS = 250
const CURRENTS_MS = 1000

/** Six pins, and the power of all of them. */
export function IoModule({ module: { slot, state } }: { readonly module: ModuleView }) {
  const texts = useTexts()
  const store = useStore()
  const view = useChartView()
  const everyMs = useComputed(() => (view.windowMs.value <= SHORT_WINDOW_MS ? FAST_MS : EVERY_MS)).value
  const values = useReading('io', slot, 'getInputValues', everyMs)
  const currents = useReading('io', slot, 'getInputCurrents', CURRENTS_MS)
  const traces = usePinTraces(slot, values, everyMs)
  const cleared = store.kept(`io/${slot}/cleared`, () => signal<readonly PinState[] | undefined>(undefined))
  const pins = pinsIn(state)
  const isUnknown = pins.some(({ mode }) => mode === 'unknown') && !store.modules.notices.value.has(slot)
  const keep = (before: readonly PinState[]): void => {
    cleared.value = hasSettings(before) ? before : undefined
  }
  return (
    <>
      <Lost slot={slot} pins={pins} cleared={cleared} />
      {isUnknown && <p class="notice">{texts.io.unknownPins}</p>}
      <div class="io-tools">
        <ChartControls view={view} />
        <Action
          write={moduleWrite(store, 'io', slot, 'reset', { reset: 'yes' })}
          label={texts.io.all.reset}
          onDone={() => keep(pins)}
        />
      </div>
      <div class="pins">
        {pins.map((pin) => (
          <PinCard key={pin.pin} slot={slot} state={pin} values={values} currents={currents} traces={traces} view={view} />
        ))}
      </div>
      <PowerCard slot={slot} pins={pins} onGranted={keep} />
    </>
  )
}

interface LostProperties {
  readonly slot: number
  readonly pins: readonly PinState[]
  /** What a reset or a power configuration took away in this session. */
  readonly cleared: Signal<readonly PinState[] | undefined>
}

/** What is lost with the last session, or by a request of this page. */
function Lost({ slot, pins, cleared }: LostProperties) {
  const texts = useTexts()
  const language = useLanguage()
  const { modules } = useStore()
  const notice = modules.notices.value.get(slot)
  const old = notice?.what === 'new-session' && notice.service === 'io' ? notice.lost.map(pinsIn) : undefined
  const before = old?.find(hasSettings) ?? old?.[0] ?? cleared.value
  if (before === undefined) return null
  return (
    <LostSettings
      slot={slot}
      title={old === undefined ? texts.io.cleared : texts.io.newSession(timeOfDay(notice?.at ?? 0, language))}
      before={before}
      now={pins}
      onEnd={() => {
        cleared.value = undefined
        if (old !== undefined) modules.dismiss(slot)
      }}
    />
  )
}
