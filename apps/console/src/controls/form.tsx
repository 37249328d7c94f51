import { type Signal, useSignal } from '@preact/signals'
import type { Endpoint, ObjectSchema, Schema } from '@slotwire/contract'
import * as clients from '@slotwire/modules/clients'
import type { EndpointName, InputFor, Service } from '../store/device-types.ts'
import { capitalized } from '../texts/language.ts'
import { useTexts } from '../texts/use-texts.ts'
import { ChoiceInput } from './choice-input.tsx'
import { NumberInput } from './number-input.tsx'
import { TextInput } from './text-input.tsx'

/** The input of an endpoint while the user edits it. The contract has its bounds, units and words. */
export interface Form<Input> {
  /** What the fields have now; check it by making a write of it. */
  readonly input: Signal<Input>
  /** The contract's schema of a field. */
  schemaOf(name: keyof Input & string): Schema
}

/**
 * Edits the input of an endpoint: `const form = useForm('io', 'setAnalogThreshold', { pin, threshold_millivolt: 1500, trigger: 'rising' })`.
 * Show its fields by `<FormField form={form} name="trigger" />`.
 */
export function useForm<S extends Service, N extends EndpointName<S>>(
  service: S,
  name: N,
  initial: NonNullable<InputFor<S, N>[0]>,
): Form<NonNullable<InputFor<S, N>[0]>> {
  const input = useSignal(initial)
  const endpoints: Readonly<Record<string, Endpoint>> = clients[service].contract.endpoints
  const { body } = endpoints[name] as Endpoint
  const schemaOf = (field: string): Schema => {
    const schema = body && schemaIn(body, field, input.value)
    if (schema === undefined) throw new Error(`there is no field ${field}`)
    return schema
  }
  return { input, schemaOf }
}

/** The schema of a field; its bounds can depend on the other values. */
export function schemaIn(
  { properties, allOf = [] }: ObjectSchema,
  name: string,
  values: Readonly<Record<string, unknown>>,
): Schema | undefined {
  const rules = allOf.filter((rule) => Object.entries(rule.if.properties).every(([other, word]) => values[other] === word.const))
  return rules.map(({ then }) => then.properties?.[name]).find((schema) => schema !== undefined) ?? properties[name]
}

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
      label={label ?? capitalized(texts.field(name))}
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
  const texts = useTexts()
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
  if ('enum' in schema) {
    const unit = 'x-unit' in schema ? (schema['x-unit'] ?? '') : ''
    return (
      <ChoiceInput
        label={label}
        choices={schema.enum}
        textOf={(choice) => `${texts.word(String(choice))} ${unit}`.trim()}
        value={value as string | number}
        onChange={onChange}
      />
    )
  }
  if (schema.type === 'integer' || schema.type === 'number')
    return <NumberInput schema={schema} label={label} value={value as number | undefined} onChange={onChange} />
  return <TextInput label={label} value={typeof value === 'string' ? value : ''} onText={onChange} />
}
