import type { ObjectSchema, ValueOf } from '@slotwire/contract'
import type { Tree } from '@slotwire/storage'
import { actionEndpoint, type BenchAction, benchActions, PIN, PLACE, perform, typesIn } from '@slotwire/twin'
import type { ModuleCatalog } from '../catalog.ts'
import { type PinPlace, placeNamed } from '../read/field-types.ts'
import type { ParseState } from '../read/parse-state.ts'
import { readObject } from '../read/schema-type.ts'
import type { StepKind } from './step-kind.ts'

type Values = Readonly<Record<string, unknown>>

/** A step for each action of the bench, with the fields of the action. */
export function actionSteps(catalog: ModuleCatalog): readonly StepKind[] {
  return Object.entries(benchActions(typesIn(catalog))).map(([name, action]) => actionStep(name, action))
}

function actionStep(name: string, action: BenchAction): StepKind {
  const endpoint = actionEndpoint(name, action)
  return {
    name,
    summary: action.summary,
    body: action.body,
    read: (entry, state) => {
      const { value } = entry
      const schema = narrowed(action, value, state)
      const values = readObject(value, schema, state, name, value.kind === 'nothing' ? entry.keySpan : value)
      if (values === undefined) return undefined
      const problem = endpoint.check?.(values)
      if (problem !== undefined) return state.fail(value, `${name}: ${problem}`)
      const kind = action.makes?.(values as ValueOf<ObjectSchema>)
      if (kind !== undefined) state.defineName(entry, values['as'] as string | undefined, { what: 'connection', kind })
      return {
        pins: pinsIn(values, schema),
        slot: values['slot'] as number | undefined,
        needs: 'bench',
        action: { name, values },
        run: async (run) => {
          const done = perform(action, run.bench, values)
          if (done instanceof Promise) await run.settled(done, `${name} to end`)
        },
      }
    },
  }
}

/** The body for what the step is about, if a step above has made it: then its settings are known. */
function narrowed(action: BenchAction, tree: Tree, { names }: ParseState): ObjectSchema {
  const { body } = action
  if (action.bodyFor === undefined || tree.kind !== 'map') return body
  if (tree.entries.some(({ key }) => key === 'slot') && !tree.entries.some(({ key }) => key === 'of'))
    return action.bodyFor('module')
  const of = tree.entries.find(({ key }) => key === 'of')?.value
  const named = of?.kind === 'text' ? names.get(of.text) : undefined
  return named?.what === 'connection' ? action.bodyFor(named.kind) : body
}

/** The pins in the fields of an action. */
function pinsIn(values: Values, { properties }: ObjectSchema): readonly PinPlace[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const schema = properties[name]
    const title = schema?.type === 'array' ? (schema.items as ObjectSchema).title : schema?.title
    return title === PIN || title === PLACE
      ? [value]
          .flat()
          .filter((place) => /^\d/.test(String(place)))
          .map((place) => placeNamed(String(place)))
      : []
  })
}
