// A section of a page with its title.
import { type ReactNode } from 'react'
import { BlockStack, Card, Heading, Hint, InlineStack } from '../ui/index.ts'

interface Props {
  title: string
  help?: ReactNode
  /** A button of the section. */
  action?: ReactNode
  children: ReactNode
}

export function Titled({ title, help, action, children }: Props) {
  return (
    <Card>
      <BlockStack gap="400">
        <BlockStack gap="100">
          <InlineStack align="space-between" blockAlign="center" gap="200">
            <Heading>{title}</Heading>
            {action}
          </InlineStack>
          {help && <Hint>{help}</Hint>}
        </BlockStack>
        {children}
      </BlockStack>
    </Card>
  )
}
