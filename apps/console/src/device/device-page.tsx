import { useTexts } from '../texts/use-texts.ts'

/** The first page: what is in the slots, and whether all is well. */
export function DevicePage() {
  const texts = useTexts()
  return <h1>{texts.device.title}</h1>
}
