// The keys of the list of reviews: j and k move between the cards; a card handles the others.
import { type FocusEvent, useEffect, useMemo, useRef } from 'react'
import { t } from '../../../shell/messages/t.ts'
import { type PageKey, usePageKeys } from '../../../shell/palette/page-keys.ts'

const cards = () => [...document.querySelectorAll<HTMLElement>('[data-review]')]

/** `count`: how many cards are shown. Returns what the element around them has to call. */
export function useReviewKeys(count: number): { onFocus: (event: FocusEvent) => void } {
  /** The place of the card that had the focus last. */
  const place = useRef<number | null>(null)
  const keys = useMemo((): readonly PageKey[] => {
    const move = (by: number) => {
      const all = cards()
      const at = all.findIndex((card) => card.contains(document.activeElement))
      // A decided card is gone: the next one has its place.
      const to = at === -1 ? (place.current ?? 0) : at + by
      focusCard(all[Math.max(0, Math.min(all.length - 1, to))])
    }
    return [
      { key: 'j', does: t('Next review'), run: () => move(1) },
      { key: 'k', does: t('Previous review'), run: () => move(-1) },
      { key: '1–9', does: t('Choose a candidate') },
      { key: 'Enter', does: t('Accept the chosen candidate') },
      { key: 'x', does: t('Accept none of them') },
      { key: 'o', does: t('Decide one by one') },
      { key: 'u', does: t('Undo the last decision'), run: pressUndo },
    ]
  }, [])
  usePageKeys(keys)
  useEffect(() => {
    if (place.current === null || document.activeElement !== document.body) return
    const all = cards()
    focusCard(all[Math.min(all.length - 1, place.current)])
  }, [count])
  return {
    onFocus: ({ target }) => {
      const at = cards().findIndex((card) => card.contains(target))
      if (at !== -1) place.current = at
    },
  }
}

function focusCard(card: HTMLElement | undefined): void {
  card?.focus({ preventScroll: true })
  card?.scrollIntoView({ block: 'nearest' })
}

const pressUndo = () => document.querySelector<HTMLElement>('[data-undo] button')?.click()
