// Marks the search field of a page's list, which the key `/` focuses.
import { type ReactNode } from 'react'

export const PageSearch = ({ children }: { children: ReactNode }) => (
  <div data-page-search="">{children}</div>
)
