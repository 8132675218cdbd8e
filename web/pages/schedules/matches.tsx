// How many files a task would find at this moment, and which.
import { type UseQueryResult } from '@tanstack/react-query'
import { type Match } from '../../client/schedules.ts'
import { BlockStack, Text } from '../../ui/index.ts'
import { countText, numberText } from '../../labels/size.ts'

export function Matches({ match }: { match: UseQueryResult<Match> }) {
  const { data, error, isPlaceholderData } = match
  if (error)
    return (
      <Text as="p" tone="critical">
        {error.message}
      </Text>
    )
  const more = data ? data.total - data.sample.length : 0
  return (
    <BlockStack gap="200">
      <Text as="p" fontWeight="semibold" tone={isPlaceholderData ? 'subdued' : undefined}>
        <span role="status">
          {data === undefined
            ? 'Counting …'
            : data.total === 0
              ? 'No file matches now'
              : `${countText(data.total, 'file matches', 'files match')} now`}
        </span>
      </Text>
      {data && data.sample.length > 0 && (
        <ul className="sample">
          {data.sample.map((name) => (
            <li key={name} title={name}>
              {name}
            </li>
          ))}
          {more > 0 && <li className="more">and {numberText(more)} more</li>}
        </ul>
      )}
    </BlockStack>
  )
}
