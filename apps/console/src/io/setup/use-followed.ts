import type { Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** What the user edits follows the module when that reports another setting. */
export function useFollowed<Value>(edited: Signal<Value>, set: Value): void {
  useEffect(() => {
    edited.value = set
  }, [JSON.stringify(set)])
}
