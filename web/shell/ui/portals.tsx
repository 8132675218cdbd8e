// Where menus and dialogs are drawn. Polaris draws them after all landmarks of the page, where a
// screen reader does not find them as a part of it.
import { PortalsManager } from '@shopify/polaris'
import { type ReactNode, useEffect, useState } from 'react'

/**
 * Draws menus and dialogs at the end of the main part, outside of its positioned content, because they
 * are placed by the document.
 */
export function PortalsInMain({ children }: { children: ReactNode }) {
  const [container] = useState(() => document.createElement('div'))
  useEffect(() => {
    document.querySelector('main')?.append(container)
    return () => container.remove()
  }, [container])
  return <PortalsManager container={container}>{children}</PortalsManager>
}
