import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** As `styles/pages.css` has it. */
const NARROW = '(max-width: 50rem)'

/** Whether the page is on a phone. */
export function useNarrow(): boolean {
  const isNarrow = useSignal(matchMedia(NARROW).matches)
  useEffect(() => {
    const list = matchMedia(NARROW)
    const follow = (): void => {
      isNarrow.value = list.matches
    }
    list.addEventListener('change', follow)
    return () => list.removeEventListener('change', follow)
  }, [isNarrow])
  return isNarrow.value
}
