// A call that changes something on the server.
import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query'

/**
 * `send` as a mutation. Queries under `keys` are read again when it ends, also after a failure:
 * another person may have changed the same thing.
 */
export function useChangeOf<Input, Output>(
  keys: readonly QueryKey[],
  send: (input: Input) => Promise<Output>,
  /** Changes of one name are sent one after another, in the order of the calls. */
  inOrder?: string,
) {
  const client = useQueryClient()
  return useMutation<Output, Error, Input>({
    ...(inOrder === undefined ? {} : { scope: { id: inOrder } }),
    mutationFn: send,
    onSettled: () => Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey }))),
  })
}
