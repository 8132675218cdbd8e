// A callback that is always the same function and does what the newest render says, so that
// components which get it are not rendered again.
import { useCallback, useLayoutEffect, useRef } from 'react'

/** Returns a function that stays the same. Use it in event handlers only: during a render it is a render behind. */
export function useStable<Inputs extends unknown[], Output>(
  callback: (...inputs: Inputs) => Output,
): (...inputs: Inputs) => Output {
  const newest = useRef(callback)
  useLayoutEffect(() => {
    newest.current = callback
  })
  return useCallback((...inputs: Inputs) => newest.current(...inputs), [])
}
