import type { Schema } from '@slotwire/contract'
import { useId } from 'preact/hooks'
import { useTexts } from '../texts/use-texts.ts'
import { ChoiceInput } from './choice-input.tsx'
import type { Form } from './form.ts'
import { NumberInput } from './number-input.tsx'

interface FieldProperties<Input> {
  readonly form: Form<Input>
  readonly name: keyof Input & string
  /** Default: the text for the field's name. */
  readonly label?: string
}

/** A field of a form, as its schema says: a number with its unit and bounds, some words, or a switch. */
export function FormField<Input>({ form, name, label }: FieldProperties<Input>) {
  const texts = useTexts()
  return (
    <SchemaField
      schema={form.schemaOf(name)}
      label={label ?? texts.field(name)}
      value={form.input.value[name]}
      onChange={(value) => {
        form.input.value = { ...form.input.peek(), [name]: value }
      }}
    />
  )
}

interface SchemaFieldProperties {
  readonly schema: Schema
  readonly label: string
  readonly value: unknown
  /** Gets `undefined` for a number that is not complete. */
  readonly onChange: (value: unknown) => void
}

/** The same without a form: for a schema of any contract. */
export function SchemaField({ schema, label, value, onChange }: SchemaFieldProperties) {
  const id = useId()
  if (schema.type === 'boolean')
    return (
      <label class="switch">
        <input
          type="checkbox"
          role="switch"
          checked={(value ?? schema.default) === true}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
        {label}
      </label>
    )
  if ('enum' in schema)
    return (
      <ChoiceInput
        label={label}
        choices={schema.enum}
        unit={unitOf(schema)}
        value={value as string | number}
        onChange={onChange}
      />
    )
  if (schema.type === 'integer' || schema.type === 'number')
    return <NumberInput schema={schema} label={label} value={value as number | undefined} onChange={onChange} />
  return (
    <span class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        value={typeof value === 'string' ? value : ''}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </span>
  )
}

function unitOf(schema: Schema): string {
  return 'x-unit' in schema ? (schema['x-unit'] ?? '') : ''
}
