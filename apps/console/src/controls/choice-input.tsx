import { useId } from 'preact/hooks'
import { useTexts } from '../texts/use-texts.ts'

interface Properties<Choice extends string | number> {
  readonly label: string
  readonly choices: readonly Choice[]
  readonly value: Choice | undefined
  readonly unit?: string
  readonly onChange: (choice: Choice) => void
  /** Why no choice is possible now. */
  readonly blocked?: string | undefined
}

/** More choices than these are a list to open. */
const MAX_SEGMENTS = 6

/** One of some words or numbers: as segments, that arrow keys move through, or as a list to open. */
export function ChoiceInput<Choice extends string | number>(properties: Properties<Choice>) {
  return properties.choices.length > MAX_SEGMENTS ? <List {...properties} /> : <Segments {...properties} />
}

function Segments<Choice extends string | number>({ label, choices, value, unit = '', onChange, blocked }: Properties<Choice>) {
  const texts = useTexts()
  const name = useId()
  return (
    <fieldset class="segments" title={blocked} aria-disabled={blocked !== undefined}>
      <legend>{label}</legend>
      <span class="row">
        {choices.map((choice) => (
          <label key={choice}>
            <input
              type="radio"
              name={name}
              checked={choice === value}
              onClick={(event) => {
                // The module decides what is set: a refused choice does not stay marked.
                if (blocked !== undefined) event.preventDefault()
              }}
              onChange={() => {
                if (blocked === undefined) onChange(choice)
              }}
            />
            <span>
              {texts.word(String(choice))}
              {unit !== '' && ` ${unit}`}
            </span>
          </label>
        ))}
      </span>
    </fieldset>
  )
}

function List<Choice extends string | number>({ label, choices, value, unit = '', onChange, blocked }: Properties<Choice>) {
  const texts = useTexts()
  const id = useId()
  return (
    <span class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        title={blocked}
        disabled={blocked !== undefined}
        value={value}
        onChange={({ currentTarget }) => {
          const choice = choices[currentTarget.selectedIndex]
          if (choice !== undefined) onChange(choice)
        }}
      >
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {texts.word(String(choice))}
            {unit !== '' && ` ${unit}`}
          </option>
        ))}
      </select>
    </span>
  )
}
