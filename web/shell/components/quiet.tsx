// The empty state of a part of a page: two lines, because the page shows more.
import { Box, Hint, Text } from '../ui/index.ts'

export const Quiet = ({ heading, text }: { heading: string; text: string }) => (
  <Box padding="400" borderBlockStartWidth="025" borderColor="border-secondary">
    <Text as="p" fontWeight="medium">
      {heading}
    </Text>
    <Hint>{text}</Hint>
  </Box>
)
