// Whether a dialog is above the page: of the page itself, or the palette.

export const isDialogOpen = (): boolean =>
  document.querySelector('[role="dialog"], dialog[open]') !== null
