// The kinds of text that most pages have.
import { Text } from '@shopify/polaris'
import { type ReactNode } from 'react'

interface Props {
  children: ReactNode
}

/** The title of a card or of a section. */
export const Heading = ({ children }: Props) => (
  <Text as="h2" variant="headingMd">
    {children}
  </Text>
)

/** A paragraph that explains what it is beside. */
export const Hint = ({ children }: Props) => (
  <Text as="p" tone="subdued">
    {children}
  </Text>
)

/** Small print in a line. */
export const SmallPrint = ({ children }: Props) => (
  <Text as="span" variant="bodySm" tone="subdued">
    {children}
  </Text>
)
