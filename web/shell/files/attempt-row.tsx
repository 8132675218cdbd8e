// One attempt to download, view or open something: from where, how it ended, and when.
import { Badge, BlockStack, Text } from '../ui/index.ts'
import { momentText } from '../labels/time.ts'
import { t } from '../messages/t.ts'
import { refusedText } from './labels.ts'

interface Props {
  what: string
  /** The parts of what is known about it; those that are empty or unknown are left out. */
  about: readonly (string | null | undefined)[]
  at: string
  refused?: { code: Parameters<typeof refusedText>[0]['reason']; times: number } | undefined
  /** How it ended, if it was not refused; absent: it is not said. */
  result?: { text: string; tone?: 'success' } | undefined
}

export const AttemptRow = ({ what, about, at, refused, result }: Props) => (
  <li>
    <BlockStack>
      <Text as="span" breakWord>
        {what}
      </Text>
      <Text as="span" variant="bodySm" tone="subdued" breakWord>
        {about.filter(Boolean).join(' · ')}
      </Text>
    </BlockStack>
    {refused ? (
      <Badge tone="critical">
        {t('Refused: {why}', { why: refusedText({ reason: refused.code, times: refused.times }) })}
      </Badge>
    ) : result ? (
      <Badge tone={result.tone}>{result.text}</Badge>
    ) : (
      <span />
    )}
    <span className="tabular">{momentText(at)}</span>
  </li>
)
