// A text field whose value is committed a moment after the last key.
import { useEffect, useRef, useState } from 'react'

/**
 * The field's text, and a function for every change. A change of `value` from outside replaces the
 * typed text.
 */
export function useDraft(value: string, commit: (text: string) => void, delayMs = 300) {
  const [draft, setDraft] = useState<{ text: string; base: string } | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const commitLater = (text: string, delay: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => commit(text), delay)
  }
  return {
    text: draft?.base === value ? draft.text : value,
    change: (text: string) => {
      setDraft({ text, base: value })
      commitLater(text, delayMs)
    },
    clear: () => {
      setDraft({ text: '', base: value })
      commitLater('', 0)
    },
  }
}
