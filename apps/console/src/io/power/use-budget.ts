import { type ReadonlySignal, useComputed } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { useStore } from '../../store/use-store.ts'
import type { PowerConfig } from '../pin-state.ts'
import { type BudgetPart, budgetOf, grantOf, railPowerOf } from './budget.ts'

const EVERY_MS = 1000

/** The budget of the device with a configuration of one module; undefined until all figures are read, or without a power module. */
export function useBudget(slot: number, config: ReadonlySignal<PowerConfig>): ReadonlySignal<readonly BudgetPart[] | undefined> {
  const store = useStore()
  const { powerNeed } = store.module('io', slot)
  const present = store.modules.list.value.map((module) => `${module.service}/${module.slot}`).join(' ')
  const { source, descriptors } = useMemo(() => {
    const list = store.modules.list.peek()
    const supply = list.find(({ service }) => service === 'power')
    return {
      source: supply && store.reading('power', supply.slot, 'getSource'),
      // A configuration changes the descriptor within a session.
      descriptors: list.map((module) => [module.slot, store.reading(module.service, module.slot, 'descriptor')] as const),
    }
  }, [store, present])
  useEffect(() => {
    const ends = [source, ...descriptors.map(([, reading]) => reading)].map((reading) => reading?.use(EVERY_MS))
    return () => {
      for (const end of ends) end?.()
    }
  }, [source, descriptors])
  const latest = { source, descriptors }
  return useComputed(() => {
    const supply = latest.source?.shown.value.value
    const read = latest.descriptors.map(([of, { shown }]) => [of, shown.value.value] as const)
    const own = read.find(([of]) => of === slot)?.[1]
    const others = read.filter(([of]) => of !== slot).flatMap(([, descriptor]) => descriptor ?? [])
    if (supply === undefined || own === undefined || others.length < read.length - 1) return undefined
    const asked = railPowerOf(powerNeed(config.value, own))
    return budgetOf(supply, { others: others.map(grantOf), now: grantOf(own), asked })
  })
}
