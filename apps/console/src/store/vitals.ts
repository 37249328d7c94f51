import { effect, untracked } from '@preact/signals'
import type { DeviceStore } from './device-store.ts'
import type { Service } from './device-types.ts'

const FAST_MS = 1000
const SLOW_MS = 5000

type Source = Pick<DeviceStore, 'modules' | 'reading'>

/** What shows whether a module is well. */
const readingsOf = (store: Source, service: Service, slot: number) => {
  if (service === 'power')
    return [
      { reading: store.reading('power', slot, 'getStats'), everyMs: FAST_MS },
      { reading: store.reading('power', slot, 'getTemperature'), everyMs: SLOW_MS },
    ]
  if (service === 'io') return [{ reading: store.reading('io', slot, 'getInputValues'), everyMs: SLOW_MS }]
  if (service !== 'bmc') return []
  return [
    { reading: store.reading('bmc', slot, 'getWatchdog'), everyMs: FAST_MS },
    { reading: store.reading('bmc', slot, 'getTemperature'), everyMs: SLOW_MS },
  ]
}

/** Keeps the vitals of all modules up to date, until the returned function is called. */
export function keepVitals(store: Source): () => void {
  let ends: readonly (() => void)[] = []
  let key = ''
  const stop = effect(() => {
    const present = store.modules.list.value.map(({ service, slot }) => ({ service, slot }))
    const next = JSON.stringify(present)
    if (next === key) return
    key = next
    const before = ends
    ends = untracked(() =>
      present.flatMap(({ service, slot }) =>
        readingsOf(store, service, slot).map(({ reading, everyMs }) => reading.use(everyMs)),
      ),
    )
    // Those that stay in use are not interrupted.
    for (const end of before) end()
  })
  return () => {
    stop()
    for (const end of ends) end()
  }
}
