import { compile, type DecimalSchema, type IntegerSchema, rangeText } from '@slotwire/contract'
import { useId, useMemo } from 'preact/hooks'

interface Properties {
  readonly schema: IntegerSchema | DecimalSchema
  readonly label: string
  readonly value: number | undefined
  readonly onChange: (value: number | undefined) => void
}

/** A number with the unit and bounds of its schema. Says what is wrong while the user types. */
export function NumberInput({ schema, label, value, onChange }: Properties) {
  const id = useId()
  const check = useMemo(() => compile(schema, label), [schema, label])
  const { minimum: min, maximum: max, 'x-unit': unit } = schema
  const range = 'x-range' in schema ? schema['x-range'] : undefined
  const hasBounds = range !== undefined || min !== undefined || max !== undefined
  const problem = value === undefined ? undefined : check(value)
  return (
    <span class="field">
      <label for={id}>{label}</label>
      <span class="with-unit">
        <input
          id={id}
          type="number"
          inputMode={schema.type === 'integer' ? 'numeric' : 'decimal'}
          min={min}
          max={max}
          step={schema.type === 'integer' ? 1 : 'any'}
          value={value ?? ''}
          aria-describedby={`${id}-hint`}
          aria-invalid={problem !== undefined}
          onInput={({ currentTarget: { value: text } }) => onChange(text === '' ? undefined : Number(text))}
        />
        {unit !== undefined && <span class="unit">{unit}</span>}
      </span>
      <small id={`${id}-hint`} class={problem === undefined ? 'hint' : 'error'}>
        {problem ?? (hasBounds ? rangeText({ min, max, unit, range }) : '')}
      </small>
    </span>
  )
}
