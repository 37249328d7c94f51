import { timeOfDay } from '../parts/format.ts'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'

/** Whether values are live, or since when the connection is lost. */
export function LinkStateView() {
  const texts = useTexts()
  const { link, now } = useStore()
  const { isConnected, lostAtMs, lostAtDate, error } = link.state.value
  return (
    <span class="link" role="status" data-live={isConnected} title={error === undefined ? undefined : texts.link.why(error)}>
      {isConnected ? texts.link.live : texts.link.lost(timeOfDay(lostAtDate, texts.language), Math.max(0, now.value - lostAtMs))}
    </span>
  )
}
