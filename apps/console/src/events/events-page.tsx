import { Card } from '../parts/card.tsx'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'

/** What happened on the device. */
export function EventsPage() {
  const texts = useTexts()
  const { records } = useStore()
  return <Card title={texts.shell.events}>{records.list.value.length}</Card>
}
