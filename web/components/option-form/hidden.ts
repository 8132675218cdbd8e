// Options that nobody is asked for, or that another widget sets.

export const isHidden = (widget: string | undefined): boolean =>
  widget === 'none' || widget === 'variant'
