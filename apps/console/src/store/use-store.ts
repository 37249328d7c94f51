import type { ReadonlySignal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext, useEffect, useMemo } from 'preact/hooks'
import type { DeviceStore } from './device-store.ts'
import type { EndpointName, InputFor, ReplyTo, Service } from './device-types.ts'
import type { ReadingState } from './readings.ts'

export const StoreContext = createContext<DeviceStore | undefined>(undefined)

/** The store of the device. Only below the shell, which shows pages when the device is there. */
export function useStore(): DeviceStore {
  const store = useContext(StoreContext)
  if (store === undefined) throw new Error('there is no device yet')
  return store
}

/**
 * A read of a module, kept up to date at an interval while the component is shown: `useReading('power', 1, 'getStats', 1000)`. Give the
 * signal, or parts of it by `useComputed`, to a `Value`; reading `.value` in the component renders all of it at each change.
 */
export function useReading<S extends Service, N extends EndpointName<S>>(
  service: S,
  slot: number,
  name: N,
  everyMs: number,
  ...args: InputFor<S, N>
): ReadonlySignal<ReadingState<ReplyTo<S, N>>> {
  const store = useStore()
  const input = JSON.stringify(args)
  const reading = useMemo(() => store.reading(service, slot, name, ...args), [store, service, slot, name, input])
  useEffect(() => reading.use(everyMs), [reading, everyMs])
  return reading.shown
}
