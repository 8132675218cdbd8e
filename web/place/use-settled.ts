// A value that changes with every key, as it is once the keys rest: for asking the server about what is being typed.
import { useEffect, useState } from 'react'

/** Two values are the same when they read the same as JSON. */
export function useSettled<T>(value: T, delayMs = 300): T {
  const [settled, setSettled] = useState(value)
  const text = JSON.stringify(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text) as T), delayMs)
    return () => clearTimeout(timer)
  }, [text, delayMs])
  return settled
}
