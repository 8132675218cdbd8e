// A value that changes with every key press, once it has not changed for a while: for queries about
// text that is being typed.
import { useEffect, useState } from 'react'

/** Two values are the same when they read the same as JSON. */
export function useDebounced<T>(value: T, delayMs = 300): T {
  const [debounced, setDebounced] = useState(value)
  const text = JSON.stringify(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(JSON.parse(text) as T), delayMs)
    return () => clearTimeout(timer)
  }, [text, delayMs])
  return debounced
}
