import { useId } from 'preact/hooks'

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
