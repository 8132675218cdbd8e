// The error of a call beside the button of a row, where a banner has no room.
import { Text } from '../ui/index.ts'

export const SmallError = ({ error }: { error: Error | null }) =>
  error && (
    <span role="alert">
      <Text as="span" variant="bodySm" tone="critical" breakWord>
        {error.message}
      </Text>
    </span>
  )
