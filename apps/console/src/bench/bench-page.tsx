import { Card } from '../parts/card.tsx'
import { useTexts } from '../texts/use-texts.ts'

/** The bench of a virtual device. */
export function BenchPage() {
  const texts = useTexts()
  return <Card title={texts.shell.bench}>{texts.shell.virtual}</Card>
}
