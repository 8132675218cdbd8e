// A section of a page with its title.
import { type ReactNode } from 'react'
import { BlockStack, Card, InlineStack, Text } from '../ui/index.ts'

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
            <Text as="h2" variant="headingMd">
              {title}
            </Text>
            {action}
          </InlineStack>
          {help && (
            <Text as="p" tone="subdued">
              {help}
            </Text>
          )}
        </BlockStack>
        {children}
      </BlockStack>
    </Card>
  )
}
