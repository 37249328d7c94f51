import { useId } from 'preact/hooks'
import { useTexts } from '../texts/use-texts.ts'
import { useBenchPart } from './bench-data.ts'

interface Properties {
  readonly label: string
  /** Values and their texts. */
  readonly choices: readonly (readonly [value: string, text: string])[]
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A list to open, whose choices have texts of their own. */
export function Select({ label, choices, value, onChange }: Properties) {
  const id = useId()
  return (
    <span class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {choices.map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </select>
    </span>
  )
}

/** A pin of the bench, as requests name it. */
export interface Place {
  readonly slot: number
  readonly pin: number
}

interface PinProperties {
  readonly label: string
  readonly value: Partial<Place>
  readonly onChange: (place: Place | undefined) => void
}

/** One of all pins of the modules, or none. */
export function PinSelect({ label, value, onChange }: PinProperties) {
  const texts = useTexts()
  const places = useBenchPart(({ slots }) => slots.flatMap(({ slot, pins }) => pins.map(({ pin }) => `${slot}/${pin}`))) ?? []
  return (
    <Select
      label={label}
      choices={[['', texts.bench.noPin], ...places.map((place) => [place, place] as const)]}
      value={value.slot === undefined ? '' : `${value.slot}/${value.pin}`}
      onChange={(place) => onChange(placeOf(place))}
    />
  )
}

export function placeOf(text: string): Place | undefined {
  const [slot, pin] = text.split('/').map(Number)
  return slot === undefined || pin === undefined ? undefined : { slot, pin }
}
