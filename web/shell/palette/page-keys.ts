// Keys that work on the open page only, listed with those of every page.
import { useEffect } from 'react'
import { isDialogOpen } from '../url-state/dialog-open.ts'

export interface PageKey {
  /** The key, as `KeyboardEvent.key` names it. */
  key: string
  does: string
  /** Handles the key; absent: the focused element does. */
  run?: () => void
}

let open: readonly PageKey[] = []

/** The keys of the open page. */
export const pageKeys = (): readonly PageKey[] => open

/** A letter does nothing in a checkbox. */
const TEXT_FIELDS = 'input:not([type="checkbox"], [type="radio"]), textarea, select'

export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches(TEXT_FIELDS))

/** Is the key pressed alone, and not part of a text? */
export const isPlainKey = (
  event: Pick<KeyboardEvent, 'altKey' | 'ctrlKey' | 'metaKey' | 'target'>,
) => !event.altKey && !event.ctrlKey && !event.metaKey && !isTyping(event.target)

/** Adds keys while the component is shown. */
export function usePageKeys(keys: readonly PageKey[]): void {
  useEffect(() => {
    open = keys
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.isComposing || event.defaultPrevented || !isPlainKey(event)) return
      const run = keys.find(({ key }) => key === event.key)?.run
      if (!run || isDialogOpen()) return
      event.preventDefault()
      run()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => {
      open = []
      document.removeEventListener('keydown', onKeyDown)
    }
  }, [keys])
}
