import { useTexts } from '../../texts/use-texts.ts'
import type { PinState } from '../pin-state.ts'

/** Says what an output lacks. */
export function NeedsPower({ state: { power } }: { readonly state: PinState }) {
  const texts = useTexts()
  if (power === 'unknown') return <small class="muted">{texts.io.powerUnknown}</small>
  if (power === null || power.current_milliampere === 0) return <small class="needs">{texts.io.needsPower}</small>
  return null
}
