import { useComputed } from '@preact/signals'
import { namedPin } from '@slotwire/contract'
import { ChartControls, useChartView } from '../chart/chart-controls.tsx'
import { Action } from '../controls/action.tsx'
import { ModulePage } from '../parts/module-page.tsx'
import { saveFile } from '../parts/save-file.ts'
import type { ModuleView } from '../store/device-types.ts'
import { useReading, useStore } from '../store/use-store.ts'
import { moduleWrite } from '../store/write.ts'
import { useTexts } from '../texts/use-texts.ts'
import { LostSettings } from './lost-settings.tsx'
import { PinCard } from './pin-card.tsx'
import { pinsIn } from './pin-state.ts'
import { pastCsv, usePinTraces } from './pin-traces.ts'
import { PowerCard } from './power-card.tsx'

/** Up to this time shown, in milliseconds, values are read as often as the device can. */
const SHORT_WINDOW_MS = 10_000
const FAST_MS = 50
const EVERY_MS = 250
const CURRENTS_MS = 1000

/** The page of one io module. */
export function IoPage({ slot }: { readonly slot: number }) {
  return (
    <ModulePage service="io" slot={slot}>
      {(module) => <IoModule module={module} />}
    </ModulePage>
  )
}

/** Six pins, and the power of all of them. */
function IoModule({ module: { slot, state, pins: named } }: { readonly module: ModuleView }) {
  const texts = useTexts()
  const store = useStore()
  const view = useChartView()
  const everyMs = useComputed(() => (view.windowMs.value <= SHORT_WINDOW_MS ? FAST_MS : EVERY_MS)).value
  const values = useReading('io', slot, 'getInputValues', everyMs)
  const currents = useReading('io', slot, 'getInputCurrents', CURRENTS_MS)
  const traces = usePinTraces(slot, values, everyMs)
  const pins = pinsIn(state)
  const save = async (): Promise<void> => {
    const toMs = view.pausedAt.peek() ?? store.wallTime()
    const past = await store.device.past(`io/${slot}/input/values`).catch(() => undefined)
    if (past === undefined) return
    const nameOf = (pin: number): string => namedPin(named, pin)?.name ?? texts.pin(pin)
    const span = [toMs - view.windowMs.peek(), toMs] as const
    saveFile(`io-${slot}.csv`, 'text/csv', pastCsv(past, store.wallTime(), span, nameOf))
  }
  const isUnknown = pins.some(({ mode }) => mode === 'unknown') && !store.modules.notices.value.has(slot)
  return (
    <>
      <LostSettings slot={slot} now={pins} />
      {isUnknown && <p class="notice">{texts.io.unknownPins}</p>}
      <div class="io-tools">
        <span class="chart-controls">
          <ChartControls view={view} />
          <button type="button" onClick={() => void save()}>
            {texts.chart.save}
          </button>
        </span>
        <Action write={moduleWrite(store, 'io', slot, 'reset', { reset: 'yes' })} label={texts.io.all.reset} />
      </div>
      <div class="pins">
        {pins.map((pin) => (
          <PinCard
            key={pin.pin}
            slot={slot}
            state={pin}
            named={namedPin(named, pin.pin)}
            values={values}
            currents={currents}
            traces={traces}
            view={view}
          />
        ))}
      </div>
      <PowerCard slot={slot} pins={pins} />
    </>
  )
}
