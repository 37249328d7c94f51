import { useId } from 'preact/hooks'
import { useTexts } from '../texts/use-texts.ts'
import { useBenchPart } from './use-bench.ts'

/** A pin of the bench, as requests name it. */
export interface Place {
  readonly slot: number
  readonly pin: number
}

interface Properties {
  readonly label: string
  readonly value: Place | undefined
  readonly onChange: (place: Place | undefined) => void
}

/** One of all pins of the modules, or none. */
export function PinSelect({ label, value, onChange }: Properties) {
  const texts = useTexts()
  const id = useId()
  const places = useBenchPart(({ slots }) => slots.flatMap(({ slot, pins }) => pins.map(({ pin }) => `${slot}/${pin}`)))
  return (
    <span class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value === undefined ? '' : `${value.slot}/${value.pin}`}
        onChange={({ currentTarget }) => onChange(placeOf(currentTarget.value))}
      >
        <option value="">{texts.bench.wires.noPin}</option>
        {places.value?.map((place) => (
          <option key={place} value={place}>
            {place}
          </option>
        ))}
      </select>
    </span>
  )
}

export function placeOf(text: string): Place | undefined {
  const [slot, pin] = text.split('/').map(Number)
  return slot === undefined || pin === undefined ? undefined : { slot, pin }
}
