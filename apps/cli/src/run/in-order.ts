/** One step of an end; the next one is taken in any case. */
export type Step = () => Promise<unknown> | void

/** Takes every step, one after the other, whatever comes of those before. Rejects with the first failure when all are done. */
export async function inOrder(steps: readonly Step[]): Promise<void> {
  const failures: unknown[] = []
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
