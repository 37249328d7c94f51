import { Value } from '../parts/value.tsx'
import { useLanguage, useTexts } from '../texts/use-texts.ts'
import type { PinProperties } from './pin-properties.ts'
import { powerText } from './settings-text.ts'

/** The current of a pin, and the power that it may use. */
export function PinFacts({ state: { pin, power }, currents }: Pick<PinProperties, 'state' | 'currents'>) {
  const texts = useTexts()
  const language = useLanguage()
  return (
    <dl class="facts">
      <div>
        <dt>{texts.device.electric.current}</dt>
        <dd>
          <Value reading={currents} pick={({ pins }) => pins.find((each) => each.pin === pin)?.value} unit="mA" />
        </dd>
      </div>
      <div>
        <dt>{texts.io.facts.supply}</dt>
        <dd>
          {power === 'unknown' && texts.device.modes.unknown}
          {power === null && texts.io.facts.noPower}
          {power !== null && power !== 'unknown' && powerText(power, texts, language)}
        </dd>
      </div>
    </dl>
  )
}
