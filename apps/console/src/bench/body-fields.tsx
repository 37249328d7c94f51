import type { ObjectSchema, Schema } from '@slotwire/contract'
import { useId } from 'preact/hooks'
import { SchemaField } from '../controls/field.tsx'
import { useTexts } from '../texts/use-texts.ts'
import type { Values } from './api-document.ts'
import { PinSelect, type Place } from './pin-select.tsx'

interface Properties {
  readonly schema: ObjectSchema
  readonly values: Values
  readonly onChange: (values: Values) => void
  /** Fields that are not shown. */
  readonly without?: readonly string[]
}

/** Longer texts have several lines. */
const SHORT_TEXT = 200
/** Other schemas need something that a field does not have. */
const SIMPLE = ['integer', 'number', 'boolean', 'string']

/** The fields of a request's body, as its schema says. */
export function BodyFields({ schema, values, onChange, without = [] }: Properties) {
  const texts = useTexts()
  return (
    <>
      {Object.entries(schema.properties).map(([name, field]) => {
        if (without.includes(name)) return null
        const label = `${texts.bench.field(name)}${schema.required.includes(name) ? '' : ` (${texts.bench.optional})`}`
        return (
          <span key={name} class="body-field" title={field.description}>
            <BodyField
              schema={field}
              label={label}
              value={values[name]}
              onChange={(value) => onChange({ ...values, [name]: value })}
            />
          </span>
        )
      })}
    </>
  )
}

interface FieldProperties {
  readonly schema: Schema
  readonly label: string
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

function BodyField({ schema, label, value, onChange }: FieldProperties) {
  if (schema.type === 'object') {
    if ('slot' in schema.properties && 'pin' in schema.properties)
      return <PinSelect label={label} value={value as Place | undefined} onChange={onChange} />
    return (
      <fieldset class="inner-fields">
        <legend>{label}</legend>
        <BodyFields schema={schema} values={(value ?? {}) as Values} onChange={onChange} />
      </fieldset>
    )
  }
  if (schema.type === 'string' && !('enum' in schema) && 'maxLength' in schema && (schema.maxLength ?? 0) > SHORT_TEXT)
    return <LongText label={label} value={typeof value === 'string' ? value : ''} onChange={onChange} />
  if (!SIMPLE.includes(schema.type)) return null
  return <SchemaField schema={schema} label={label} value={value} onChange={onChange} />
}

function LongText({ label, value, onChange }: { label: string; value: string; onChange: (text: string) => void }) {
  const id = useId()
  return (
    <span class="field">
      <label for={id}>{label}</label>
      <textarea id={id} rows={4} value={value} onInput={({ currentTarget }) => onChange(currentTarget.value)} />
    </span>
  )
}
