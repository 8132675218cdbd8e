// The shop has no file yet: how the first ones get in.
import { Code } from '../../components/copy.tsx'
import { Nothing } from '../../components/lists.tsx'
import { BlockStack, Box, Card, Text } from '../../ui/index.ts'
import { importCommand } from '../../labels/import-command.ts'

export function FirstFile() {
  return (
    <Card>
      <BlockStack gap="400">
        <Nothing
          why="new"
          heading="Import your first files"
          action={{ content: 'Upload files', url: '/import/upload' }}
        >
          Upload them from this computer, or send their addresses and product SKUs to Stevedore.
          Each file is attached to its product, and buyers download it through links that expire and
          run out.
        </Nothing>
        <Box paddingInline={{ xs: '0', md: '800' }} paddingBlockEnd="400">
          <BlockStack gap="200">
            <Text as="h3" variant="headingSm">
              Import with one command
            </Text>
            <Text as="p" tone="subdued">
              Put your API key and your files’ addresses in, then run this in a terminal. The files
              appear here as they arrive.
            </Text>
            <Code what="import command" text={importCommand(window.location.origin)} />
          </BlockStack>
        </Box>
      </BlockStack>
    </Card>
  )
}
