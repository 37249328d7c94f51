import { useComputed } from '@preact/signals'
import { useStore } from '../store/use-store.ts'
import { useLanguage, useTexts } from '../texts/use-texts.ts'

/** How long a session lasts, by the dates of the device and of this browser. */
export function SessionAge({ since }: { readonly since: string }) {
  const texts = useTexts()
  const language = useLanguage()
  const { now, wallTime } = useStore()
  const began = Date.parse(since)
  const age = useComputed(() => (now.value < 0 ? '' : texts.duration(Math.max(0, wallTime() - began))))
  if (Number.isNaN(began)) return <span class="muted">–</span>
  return (
    <time class="number" dateTime={since} title={new Date(began).toLocaleString(language)}>
      {age}
    </time>
  )
}
