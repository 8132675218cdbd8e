// Keeps the focus when the element that has it disappears: Pause becomes Resume, a row is removed.
// The browser would move it to the document's start, and a screen reader would lose its place.

const FOCUSABLE = [
  'a[href]',
  'button:not(:disabled)',
  'input:is([type="checkbox"], [type="radio"]):not(:disabled)',
  '[tabindex="0"]',
].join(', ')

const DIALOG = '[role="dialog"]'
/** What the focus stays in. Menus are drawn outside both, and move it themselves. */
const BOUNDS = `.place, ${DIALOG}`

interface Place {
  parent: Element
  /** The index among the parent's children. */
  index: number
}

/** The element that had the focus last, with its places from the inside out. */
let last: { element: HTMLElement; places: Place[] } | null = null

/** Called once, when the page starts. */
export function keepFocus(): void {
  document.addEventListener('focusin', ({ target }) => {
    last = target instanceof HTMLElement ? { element: target, places: placesOf(target) } : null
  })
  document.addEventListener('focusout', ({ target }) => {
    // A disabled or removed element loses the focus; from another one the merchant moved it. The
    // event comes before the removal.
    queueMicrotask(() => {
      if (target === last?.element && isUsable(last.element)) last = null
    })
  })
  new MutationObserver(() => {
    if (last === null || document.activeElement !== document.body) return
    const lost = last
    // Dialogs, menus and pages move the focus themselves, in the next frame at the latest.
    requestAnimationFrame(() => requestAnimationFrame(() => restore(lost)))
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] })
}

function restore(lost: NonNullable<typeof last>): void {
  if (last !== lost || document.activeElement !== document.body) return
  const dialog = [...document.querySelectorAll(DIALOG)].at(-1)
  if (dialog && !dialog.contains(lost.places.at(-1)?.parent ?? lost.element)) return
  if (isUsable(lost.element)) return focus(lost.element)
  // Disabled for a moment, while a request is sent.
  if (lost.element.isConnected) return
  const found = nearest(lost.places)
  if (found) focus(found)
}

/** The page moves only for a person with a keyboard, who has to see where the focus is. */
function focus(element: HTMLElement): void {
  element.focus({ preventScroll: true })
  if (element.matches(':focus-visible')) element.scrollIntoView({ block: 'nearest' })
}

const isUsable = (element: HTMLElement): boolean =>
  element.isConnected && !element.matches(':disabled')

function placesOf(element: Element): Place[] {
  const places: Place[] = []
  for (let at = element; at.parentElement && !at.matches(BOUNDS); at = at.parentElement)
    places.push({ parent: at.parentElement, index: [...at.parentElement.children].indexOf(at) })
  return places.at(-1)?.parent.matches(BOUNDS) ? places : []
}

/** The element that took its place, or the one after it, or the one before it. */
function nearest(places: readonly Place[]): HTMLElement | undefined {
  for (const { parent, index } of places) {
    if (!parent.isConnected) continue
    const children = [...parent.children]
    for (const after of children.slice(index)) {
      const [first] = focusableIn(after)
      if (first) return first
    }
    for (const before of children.slice(0, index).reverse()) {
      const found = focusableIn(before)
      // The last element of a row is often the one that deletes it.
      const closest = found.at(before.matches(ROW) ? 0 : -1)
      if (closest) return closest
    }
  }
  return undefined
}

const ROW = 'li, tr'

const focusableIn = (box: Element): HTMLElement[] =>
  [box, ...box.querySelectorAll(FOCUSABLE)].filter(
    (element): element is HTMLElement =>
      element instanceof HTMLElement &&
      element.matches(FOCUSABLE) &&
      element.checkVisibility({ visibilityProperty: true }),
  )
