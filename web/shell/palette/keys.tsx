// The keys that work on every page: Ctrl-K or Cmd-K finds anything, `/` searches the list, `?` lists
// the keys.
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { lazyPart } from '../components/lazy-part.tsx'
import { PALETTE_KEY } from './command-key.ts'
import { isDialogOpen } from '../url-state/dialog-open.ts'
import { isTyping } from './page-keys.ts'
import './opener.css'

const Palette = lazyPart(async () => (await import('./palette.tsx')).Palette, { as: 'dialog' })
const KeysList = lazyPart(async () => (await import('./keys-list.tsx')).KeysList, { as: 'dialog' })

type ShownDialog = 'palette' | 'keys' | null

const OpenPalette = createContext<() => void>(() => undefined)
export const useOpenPalette = (): (() => void) => useContext(OpenPalette)

export function Keys({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<ShownDialog>(null)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const wanted = wantedBy(event)
      if (wanted === null || isDialogOpen()) return
      if (wanted === 'search' && !focusSearch()) return
      event.preventDefault()
      if (wanted !== 'search') setShown(wanted)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
  const close = () => setShown(null)
  return (
    <OpenPalette.Provider value={() => setShown('palette')}>
      {children}
      {shown === 'palette' && <Palette onClose={close} />}
      {shown === 'keys' && <KeysList onClose={close} />}
    </OpenPalette.Provider>
  )
}

/** The dialog that the key opens; null: the key is for something else, such as a text field. */
function wantedBy(event: KeyboardEvent): 'palette' | 'keys' | 'search' | null {
  if (event.isComposing || event.defaultPrevented || event.altKey) return null
  if (event.ctrlKey || event.metaKey)
    return event.key.toUpperCase() === PALETTE_KEY && !event.shiftKey ? 'palette' : null
  if (isTyping(event.target)) return null
  if (event.key === '/') return 'search'
  return event.key === '?' ? 'keys' : null
}

/** False: this page has no search. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('[data-page-search] input')
  field?.focus()
  field?.select()
  return field !== null
}
