// One part of the form, under its title.
import { type ReactNode } from 'react'
import { BlockStack, Card, Text } from '../../ui/index.ts'

export function Titled({ title, help, children }: { title: string; help?: string; children: ReactNode }) {
  return (
    <Card>
      <BlockStack gap="400">
        <BlockStack gap="100">
          <Text as="h2" variant="headingMd">
            {title}
          </Text>
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
