import type { InputHTMLAttributes } from 'preact'
import { useId } from 'preact/hooks'

type Properties = InputHTMLAttributes & {
  readonly label: string
  readonly hint?: string
  readonly onText: (text: string) => void
}

/** A line of text with its name, and a hint below. */
export function TextInput({ label, hint, onText, ...input }: Properties) {
  const id = useId()
  return (
    <span class="field">
      <label for={id}>{label}</label>
      <input
        {...input}
        id={id}
        aria-describedby={hint && `${id}-hint`}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
      {hint !== undefined && (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
    </span>
  )
}
