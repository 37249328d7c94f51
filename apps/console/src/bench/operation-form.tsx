import { useSignal } from '@preact/signals'
import type { ObjectSchema, Schema } from '@slotwire/contract'
import { Action } from '../controls/action.tsx'
import { SchemaField } from '../controls/field.tsx'
import type { Question } from '../parts/ask.tsx'
import { useTexts } from '../texts/use-texts.ts'
import type { Operation, Values } from './api-document.ts'
import { useBench } from './bench-data.ts'

interface Properties {
  readonly operation: Operation
  /** The numbers in its path. */
  readonly numbers?: Readonly<Record<string, number>>
  readonly label: string
  /** What is set now: then only what the user changes is sent. */
  readonly current?: Values
  readonly question?: Question | undefined
}

/** A request to the bench as a form, with the example of the API document in it. Give it a `key` that changes with the operation. */
export function OperationForm({ operation, numbers = {}, label, current, question }: Properties) {
  const bench = useBench()
  const values = useSignal<Values>(current === undefined ? operation.example : {})
  const write = bench.writeOf(operation, numbers, values.value)
  return (
    <div class="operation-form">
      {operation.body !== undefined && (
        <Fields
          schema={operation.body}
          values={{ ...current, ...values.value }}
          onChange={(changed) => {
            values.value = { ...values.peek(), ...changed }
          }}
        />
      )}
      {write.problem !== undefined && <p class="form-problem">{write.problem}</p>}
      <Action write={write} label={label} isMain {...(question && { question })} />
    </div>
  )
}

interface FieldsProperties {
  readonly schema: ObjectSchema
  readonly values: Values
  /** Gets the fields that changed. */
  readonly onChange: (changed: Values) => void
}

/** Longer texts have several lines. */
const SHORT_TEXT = 200

/** The fields of a body, as its schema says. */
function Fields({ schema, values, onChange }: FieldsProperties) {
  const texts = useTexts()
  return Object.entries(schema.properties).map(([name, field]) => (
    <span key={name} class="body-field" title={field.description}>
      <BodyField
        schema={field}
        label={`${texts.bench.field(name)}${schema.required.includes(name) ? '' : ` (${texts.bench.optional})`}`}
        value={values[name]}
        onChange={(value) => onChange({ [name]: value })}
      />
    </span>
  ))
}

interface FieldProperties {
  readonly schema: Schema
  readonly label: string
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

function BodyField({ schema, label, value, onChange }: FieldProperties) {
  if (schema.type === 'object') {
    const values = (value ?? {}) as Values
    return (
      <fieldset class="inner-fields">
        <legend>{label}</legend>
        <Fields schema={schema} values={values} onChange={(changed) => onChange({ ...values, ...changed })} />
      </fieldset>
    )
  }
  if (schema.type === 'string' && 'maxLength' in schema && (schema.maxLength ?? 0) > SHORT_TEXT)
    return (
      <label class="field">
        {label}
        <textarea
          rows={4}
          value={typeof value === 'string' ? value : ''}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      </label>
    )
  return <SchemaField schema={schema} label={label} value={value} onChange={onChange} />
}
