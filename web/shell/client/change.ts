// A call that changes something on the server.
import {
  type MutateOptions,
  type QueryClient,
  type QueryKey,
  type UseMutateFunction,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { t } from '../messages/t.ts'
import { failureToast } from './bridge.ts'

/** A button waits no longer than this until the lists are read again. */
const REFRESHED_WITHIN_MS = 3000

type Keys = readonly QueryKey[]

interface Options<Input, Output> {
  /** Changes of one name are sent one after another, in the order of the calls. */
  inOrder?: string
  /** Shows the answer in place of what was read before (show-answer.ts). */
  show?: (client: QueryClient, output: Output, input: Input) => void
}

/**
 * `send` as a mutation. Queries under `keys` are read again when it ends, also after a failure:
 * another person may have changed the same thing. The callbacks of `mutate` are called before that,
 * because what is read may remove the component that called, and React Query calls none of it then.
 * A failure that no component can show any more is a toast.
 */
export function useChangeOf<Input, Output>(
  keys: Keys | ((input: Input, output: Output | undefined) => Keys),
  send: (input: Input) => Promise<Output>,
  { inOrder, show }: Options<Input, Output> = {},
) {
  const client = useQueryClient()
  const [caller] = useState(() => new Caller<Input, Output>())
  useEffect(() => caller.enter(), [caller])
  const mutation = useMutation<Output, Error, Input, Callbacks<Input, Output>>({
    ...(inOrder === undefined ? {} : { scope: { id: inOrder } }),
    mutationFn: send,
    onMutate: () => caller.begin(),
    onSuccess: (output, input, callbacks, context) => {
      show?.(client, output, input)
      if (caller.waitsFor(callbacks)) callbacks.onSuccess?.(output, input, undefined, context)
    },
    onError: (error, input, callbacks, context) => {
      if (caller.waitsFor(callbacks)) callbacks?.onError?.(error, input, undefined, context)
      if (caller.hasLeft) failureToast(t('Not done: {reason}', { reason: error.message }))
    },
    onSettled: (output, _error, input) =>
      refreshed(client, typeof keys === 'function' ? keys(input, output) : keys),
  })
  const { mutate: run, reset: detach } = mutation
  const mutate = useCallback<UseMutateFunction<Output, Error, Input>>(
    (...args) => {
      caller.call(args[1])
      run(...([args[0]] as Parameters<typeof run>))
    },
    [caller, run],
  )
  const reset = useCallback(() => {
    caller.forget()
    detach()
  }, [caller, detach])
  return { ...mutation, mutate, reset }
}

type Callbacks<Input, Output> = MutateOptions<Output, Error, Input>

/** The component that calls: it gets the answer of its last call, as long as it is on the page. */
class Caller<Input, Output> {
  hasLeft = false
  /** The callbacks of the calls that begin, in their order. */
  private next: Callbacks<Input, Output>[] = []
  private current: Callbacks<Input, Output> | null = null

  enter() {
    this.hasLeft = false
    return () => {
      this.hasLeft = true
    }
  }

  call(callbacks: Callbacks<Input, Output> = {}): void {
    this.next.push(callbacks)
  }

  begin(): Callbacks<Input, Output> {
    this.current = this.next.shift() ?? {}
    return this.current
  }

  forget(): void {
    this.current = null
  }

  waitsFor(callbacks: Callbacks<Input, Output> | undefined): boolean {
    return !this.hasLeft && callbacks !== undefined && callbacks === this.current
  }
}

/** Reads what is shown under the keys again. A list that is not answered holds up no button. */
async function refreshed(client: QueryClient, keys: Keys): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, REFRESHED_WITHIN_MS)
  })
  const read = keys.map((queryKey) => client.invalidateQueries({ queryKey }))
  await Promise.race([Promise.all(read), late])
  clearTimeout(timer)
}

/** Reads this again after a failure alone: after a success its answer is shown. */
export const ifFailed =
  (queryKey: QueryKey) =>
  <Output>(_input: unknown, output: Output | undefined): Keys =>
    output === undefined ? [queryKey] : []

/** Why the last of these calls failed; null: it did not, or it has not ended. */
export const lastError = (first: Sent, ...others: readonly Sent[]): Error | null =>
  others.reduce((last, one) => (one.submittedAt > last.submittedAt ? one : last), first).error

interface Sent {
  error: Error | null
  /** 0: nothing was sent. */
  submittedAt: number
}
