// Where the focus returns to when a dialog closes: what had it or, if that was an item of a menu,
// the button of the menu.

/** What had the focus last, and the button of the menu that it was in. */
let focused: HTMLElement[] = []

/** Called once, when the page starts. */
export function rememberFocus(): void {
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return
    const menus = document.querySelectorAll<HTMLElement>('[aria-expanded="true"][aria-controls]')
    const around = [...menus].filter((button) =>
      document.getElementById(button.getAttribute('aria-controls')!)?.contains(target),
    )
    focused = [target, ...around.reverse()]
  })
}

/**
 * Best first. A dialog whose code is still being loaded is drawn after the menu that it was chosen
 * from has gone, and the focus with it. A button takes the focus away from itself when the mouse
 * releases it.
 */
export function openers(): readonly HTMLElement[] {
  const [last] = focused
  if (!last) return []
  const at = document.activeElement
  return at === last || at === document.body || !last.isConnected ? focused : []
}
