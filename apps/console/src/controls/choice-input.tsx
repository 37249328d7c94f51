import { useId } from 'preact/hooks'
import { useTexts } from '../texts/use-texts.ts'

interface SelectProperties {
  readonly label: string
  /** Values and their texts, with the language of a text that is not in that of the page. */
  readonly choices: readonly (readonly [value: string, text: string, language?: string])[]
  readonly value: string
  readonly onChange: (value: string) => void
  /** Why no choice is possible now. */
  readonly blocked?: string | undefined
}

/** A list to open, whose choices have texts of their own. */
export function Select({ label, choices, value, onChange, blocked }: SelectProperties) {
  const id = useId()
  return (
    <span class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        title={blocked}
        disabled={blocked !== undefined}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {choices.map(([choice, text, language]) => (
          <option key={choice} value={choice} lang={language}>
            {text}
          </option>
        ))}
      </select>
    </span>
  )
}

export interface ChoiceProperties<Choice extends string | number | boolean> {
  readonly label: string
  readonly choices: readonly Choice[]
  readonly value: Choice | undefined
  /** By default the text of the word. */
  readonly textOf?: (choice: Choice) => string
  readonly onChange: (choice: Choice) => void
  /** Why no choice is possible now. */
  readonly blocked?: string | undefined
}

/** More choices than these are a list to open. */
const MAX_SEGMENTS = 6

/** One of some words or numbers: as segments, that arrow keys move through, or as a list to open. */
export function ChoiceInput<Choice extends string | number | boolean>(properties: ChoiceProperties<Choice>) {
  const texts = useTexts()
  const name = useId()
  const { label, choices, value, textOf = (choice) => texts.word(String(choice)), onChange, blocked } = properties
  if (choices.length > MAX_SEGMENTS)
    return (
      <Select
        label={label}
        choices={choices.map((choice) => [String(choice), textOf(choice)])}
        value={String(value)}
        onChange={(chosen) => choices.filter((choice) => String(choice) === chosen).forEach(onChange)}
        blocked={blocked}
      />
    )
  return (
    <fieldset class="segments" title={blocked} aria-disabled={blocked !== undefined}>
      <legend>{label}</legend>
      <span class="row">
        {choices.map((choice) => (
          <label key={String(choice)}>
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
            <span>{textOf(choice)}</span>
          </label>
        ))}
      </span>
    </fieldset>
  )
}
