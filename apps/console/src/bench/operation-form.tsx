import { useSignal } from '@preact/signals'
import { Action } from '../controls/action.tsx'
import type { Question } from '../parts/ask.tsx'
import type { Operation, Values } from './api-document.ts'
import { BodyFields } from './body-fields.tsx'
import { useBench } from './use-bench.ts'

interface Properties {
  readonly operation: Operation
  /** The numbers in its path. */
  readonly numbers?: Readonly<Record<string, number>>
  readonly label: string
  /** Fields that are decided already. */
  readonly fixed?: Values
  readonly question?: Question | undefined
}

/** A request to the bench as a form, with the example of the API document in it. Give it a `key` that changes with the operation. */
export function OperationForm({ operation, numbers = {}, label, fixed = {}, question }: Properties) {
  const bench = useBench()
  const values = useSignal<Values>({ ...operation.example, ...fixed })
  const write = bench.writeOf(operation, numbers, { ...values.value, ...fixed })
  return (
    <div class="operation-form">
      {operation.body !== undefined && (
        <BodyFields
          schema={operation.body}
          values={values.value}
          without={Object.keys(fixed)}
          onChange={(changed) => {
            values.value = changed
          }}
        />
      )}
      {write.problem !== undefined && <p class="form-problem">{write.problem}</p>}
      <Action write={write} label={label} isMain {...(question === undefined ? {} : { question })} />
    </div>
  )
}
