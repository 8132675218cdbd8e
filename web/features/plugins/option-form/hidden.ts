// Options without a field, or with a value that another widget sets.

export const isHidden = (widget: string | undefined): boolean =>
  widget === 'none' || widget === 'variant'
