// The answer to a change, shown in place of what was read before.
import type { QueryClient, QueryKey } from '@tanstack/react-query'

/**
 * Shows `answer` as what the query under `key` reads. A read that began before the change is
 * cancelled: its older answer would replace this one, and could end the polling of a running task.
 */
export function showAnswer(client: QueryClient, key: QueryKey, answer: unknown): void {
  void client.cancelQueries({ queryKey: key, exact: true })
  client.setQueryData(key, answer)
}
