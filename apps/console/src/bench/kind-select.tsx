import { useId } from 'preact/hooks'

interface Properties {
  readonly label: string
  readonly choices: readonly { readonly value: string; readonly text: string }[]
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A list to open, whose choices have texts of their own. */
export function KindSelect({ label, choices, value, onChange }: Properties) {
  const id = useId()
  return (
    <span class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.text}
          </option>
        ))}
      </select>
    </span>
  )
}
