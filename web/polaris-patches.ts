// Mends what Polaris renders against the rules for accessible pages, while the page is built.
/// <reference types="node" />
import type { Plugin } from 'vite'
import { componentOf } from './unused-parts.ts'

interface Patch {
  /** The module, below the components of Polaris. */
  module: string
  from: string
  to: string
}

export const PATCHES: readonly Patch[] = [
  {
    // A half-ticked checkbox says `mixed` in an attribute, and browsers tell assistive technology
    // their own state, "not checked": both become the same.
    module: 'Checkbox/Checkbox.js',
    from: 'ref: inputNode,',
    to: 'ref: (node) => { inputNode.current = node; if (node) node.indeterminate = isIndeterminate; },',
  },
  {
    // The box around the navigation has a name while it is no dialog: a name outside of all landmarks.
    module: 'Frame/Frame.js',
    from: `"aria-label": i18n.translate('Polaris.Frame.navigationLabel'),`,
    to: `"aria-label": mobileNavShowing ? i18n.translate('Polaris.Frame.navigationLabel') : undefined,`,
  },
]

/** Exported for its test: the module of Polaris at a path, with its patches. */
export const patched = (code: string, id: string): string =>
  PATCHES.filter(({ module }) => module === componentOf(id)).reduce(
    (text, { from, to }) => text.replace(from, to),
    code,
  )

export function polarisPatches(): Plugin {
  return {
    name: 'polaris-patches',
    enforce: 'pre',
    transform(code, id) {
      const mended = patched(code, id)
      return mended === code ? null : { code: mended, map: null }
    },
  }
}
