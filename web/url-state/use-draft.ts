// A field that is typed into, and whose value is taken over a moment after the last key.
import { useEffect, useRef, useState } from 'react'

/**
 * What the field shows, and what to call on every change. `value` changed from outside wins over
 * what was typed.
 */
export function useDraft(value: string, commit: (text: string) => void, delayMs = 300) {
  const [draft, setDraft] = useState<{ text: string; base: string } | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const settle = (text: string, delay: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => commit(text), delay)
  }
  return {
    text: draft?.base === value ? draft.text : value,
    change: (text: string) => {
      setDraft({ text, base: value })
      settle(text, delayMs)
    },
    clear: () => {
      setDraft({ text: '', base: value })
      settle('', 0)
    },
  }
}
