import type { Schema } from '@slotwire/contract'
import { useState } from 'preact/hooks'
import { Action } from '../controls/action.tsx'
import { SchemaField } from '../controls/form.tsx'
import type { Question } from '../parts/dialog.tsx'
import { useTexts } from '../texts/use-texts.ts'
import type { Operation, Values } from './api-document.ts'
import { useBench } from './bench-data.ts'

interface Properties {
  readonly operation: Operation
  /** Values that are no fields of the form: what it is about. */
  readonly fixed?: Values
  readonly label: string
  /** What is set now: then only what the user changes is sent. */
  readonly current?: Values
  readonly question?: Question | undefined
}

/** A request to the bench as a form, with the example of the API document in it. Give it a `key` that changes with the operation. */
export function OperationForm({ operation, fixed = {}, label, current, question }: Properties) {
  const texts = useTexts()
  const bench = useBench()
  const { body, example } = operation
  const [values, setValues] = useState<Values>(current === undefined ? example : {})
  const write = bench.writeOf(operation, { ...values, ...fixed })
  const all = Object.entries(body?.properties ?? {}).filter(([name]) => !(name in fixed))
  const first = all.filter(([name]) => body?.required.includes(name) || name in (current ?? example))
  const more = all.filter((field) => !first.includes(field))
  const shown = {
    values: { ...current, ...values },
    onChange: (changed: Values) => setValues((before) => ({ ...before, ...changed })),
  }
  return (
    <div class="operation-form">
      {first.length > 0 && <Fields fields={first} {...shown} />}
      {more.length > 0 && (
        <details open={first.length === 0}>
          <summary>{texts.bench.more(more.length)}</summary>
          <Fields fields={more} {...shown} />
        </details>
      )}
      <span class="line">
        <Action write={write} label={label} isMain question={question} />
        <small class="error">{write.problem}</small>
      </span>
    </div>
  )
}

interface FieldsProperties {
  readonly fields: readonly (readonly [name: string, schema: Schema])[]
  readonly values: Values
  /** Gets the fields that changed. */
  readonly onChange: (changed: Values) => void
}

/** Longer texts have several lines. */
const SHORT_TEXT = 200

/** Fields of a body, as its schema says. */
function Fields({ fields, values, onChange }: FieldsProperties) {
  const texts = useTexts()
  return (
    <div class="body-fields">
      {fields.map(([name, schema]) => (
        <span key={name} title={schema.description}>
          <BodyField
            schema={schema}
            label={texts.bench.field(name)}
            value={values[name]}
            onChange={(value) => onChange({ [name]: value })}
          />
        </span>
      ))}
    </div>
  )
}

function BodyField({ schema, label, value, onChange }: Parameters<typeof SchemaField>[0]) {
  if (schema.type === 'object') {
    const values = (value ?? {}) as Values
    return (
      <fieldset>
        <legend>{label}</legend>
        <Fields
          fields={Object.entries(schema.properties)}
          values={values}
          onChange={(changed) => onChange({ ...values, ...changed })}
        />
      </fieldset>
    )
  }
  if (schema.type === 'array') {
    const items = (value ?? []) as readonly unknown[]
    const values = Array.from({ length: schema.maxItems ?? 1 }, (_, index): unknown => items[index] ?? '')
    return (
      <>
        {values.map((item, index) => (
          <SchemaField
            key={index}
            schema={schema.items}
            label={`${label} ${index + 1}`}
            value={item}
            onChange={(changed) => onChange(values.with(index, changed))}
          />
        ))}
      </>
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
