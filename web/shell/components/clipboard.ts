// Copies to the clipboard, also where the surrounding frame forbids the newer API.

/** False if the browser allows neither way: then show the text, to be copied by hand. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

function copyBySelection(text: string): boolean {
  const before = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.style.position = 'fixed'
  area.style.opacity = '0'
  // Stay inside an open dialog: it takes the focus back when the focus moves outside.
  const dialog = before?.closest('[role="dialog"]') ?? document.body
  dialog.append(area)
  area.select()
  try {
    return document.execCommand('copy')
  } finally {
    area.remove()
    if (before instanceof HTMLElement) before.focus()
  }
}
