// A value after it has not changed for a while: for queries about text that is being typed.
import { useEffect, useState } from 'react'

/** Values are equal if their JSON is equal. */
export function useDebounced<T>(value: T, delayMs = 300): T {
  const [debounced, setDebounced] = useState(value)
  const text = JSON.stringify(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(JSON.parse(text) as T), delayMs)
    return () => clearTimeout(timer)
  }, [text, delayMs])
  return debounced
}
