import { compile, type DecimalSchema, type IntegerSchema } from '@slotwire/contract'
import { useId, useMemo } from 'preact/hooks'
import { useTexts } from '../texts/use-texts.ts'

interface Properties {
  readonly schema: IntegerSchema | DecimalSchema
  readonly label: string
  readonly value: number | undefined
  readonly onChange: (value: number | undefined) => void
}

/** Most digits of a bound after its decimal point. */
const MAX_DIGITS = 9

/** A number with the unit and bounds of its schema. While the user types a wrong number, the bounds are red. */
export function NumberInput({ schema, label, value, onChange }: Properties) {
  const texts = useTexts()
  const id = useId()
  const check = useMemo(() => compile(schema, label), [schema, label])
  const { minimum: min, maximum: max, 'x-unit': unit = '' } = schema
  const isWrong = value !== undefined && check(value) !== undefined
  const shown = (bound: number): string => bound.toLocaleString(texts.language, { maximumFractionDigits: MAX_DIGITS })
  /** 0 is allowed beside the range, if it has a gap. */
  const least = ('anyOf' in schema && schema.anyOf?.[1].minimum) || min
  const range = least === undefined || max === undefined ? '' : `${shown(least)}…${shown(max)} ${unit}`
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
          placeholder={schema.default?.toLocaleString(texts.language)}
          aria-describedby={`${id}-hint`}
          aria-invalid={isWrong}
          onInput={({ currentTarget: { value: text } }) => onChange(text === '' ? undefined : Number(text))}
        />
        {unit !== '' && <span class="unit">{unit}</span>}
      </span>
      <small id={`${id}-hint`} class={isWrong ? 'error' : 'hint'}>
        {isWrong && schema.type === 'integer' && !Number.isInteger(value) && texts.wholeNumber}
        {least === min ? range : texts.zeroOr(range)}
      </small>
    </span>
  )
}
