// Accepts the best candidate of all reviews above a score. Their number is shown first, for other
// scores too, and the files whose candidates are the least certain.
import { useState } from 'react'
import { type Review, useAcceptAbove, useCountAbove } from '../calls.ts'
import { type Decision } from '../decision-bar.tsx'
import { scoreText } from '../../../shell/labels/size.ts'
import { Dialog } from '../../../shell/components/dialog.tsx'
import { LoadProblem } from '../../../shell/components/load-problem.tsx'
import { Problem } from '../../../shell/components/problem.tsx'
import { useDebounced } from '../../../shell/url-state/use-debounced.ts'
import { Badge, BlockStack, Button, InlineStack, Text, TextField } from '../../../shell/ui/index.ts'
import { t } from '../../../shell/messages/t.ts'

const START = '90'

interface Props {
  onClose: () => void
  onDecided: (decision: Decision) => void
}

export function AcceptAbove({ onClose, onDecided }: Props) {
  const [text, setText] = useState(START)
  const percent = /^\d{1,3}$/.test(text.trim()) && Number(text) <= 100 ? Number(text) : null
  const debounced = useDebounced(percent)
  const counted = useCountAbove(debounced === null ? null : debounced / 100)
  const isCurrent = percent !== null && percent === debounced && !counted.isPlaceholderData
  const known = isCurrent ? counted.data?.count : undefined
  const { accept, finish } = useFinish(percent, known, { onClose, onDecided })
  return (
    <Dialog
      title={t('Accept all above a score')}
      onClose={onClose}
      primaryAction={{
        content: known
          ? t('Accept {known, plural, one {# file} other {# files}}', { known })
          : t('Accept'),
        disabled: !known,
        loading: accept.isPending,
        onAction: () => void finish(),
      }}
    >
      {accept.error && <Problem error={accept.error} what={t('The files could not be accepted')} />}
      <LoadProblem query={counted} what={t('The files could not be counted')} />
      <TextField
        label={t('Score of at least')}
        type="integer"
        inputMode="numeric"
        suffix="%"
        autoFocus
        min={0}
        max={100}
        value={text}
        onChange={setText}
        error={percent === null ? t('Enter a number from 0 to 100') : undefined}
      />
      <Text as="p" fontWeight="semibold">
        <span role="status">{percent === null ? '' : countedText(known)}</span>
      </Text>
      {counted.data && (
        <Scores
          scores={counted.data.scores}
          onChoose={(above) => setText(String(Math.round(above * 100)))}
        />
      )}
      <LeastCertain reviews={isCurrent ? (counted.data?.least_certain ?? []) : []} />
    </Dialog>
  )
}

/** Accepts the counted files, and says so in the bar with their undo. */
function useFinish(
  percent: number | null,
  known: number | undefined,
  { onClose, onDecided }: Props,
) {
  const accept = useAcceptAbove()
  const finish = () =>
    percent !== null &&
    known !== undefined &&
    accept.mutate(
      { above: percent / 100, count: known },
      {
        onSuccess: ({ accepted, operations }) => {
          onDecided({
            text: t(
              '{accepted, plural, one {# file is attached to its best candidate} other {# files are attached to their best candidates}}',
              { accepted },
            ),
            undo: { kind: 'operations', ids: operations },
          })
          onClose()
        },
      },
    )
  return { accept, finish }
}

type Counted = NonNullable<ReturnType<typeof useCountAbove>['data']>

interface ScoresProps {
  scores: Counted['scores']
  onChoose: (above: number) => void
}

/** How many files each score would accept. */
const Scores = ({ scores, onChoose }: ScoresProps) => (
  <InlineStack gap="200">
    {scores.map(({ above, count }) => (
      <Button key={above} size="slim" onClick={() => onChoose(above)}>
        {t('{score}: {count, plural, one {# file} other {# files}}', {
          score: scoreText(above),
          count,
        })}
      </Button>
    ))}
  </InlineStack>
)

function LeastCertain({ reviews }: { reviews: readonly Review[] }) {
  if (reviews.length === 0) return null
  return (
    <BlockStack gap="200">
      <Text as="h3" variant="headingSm">
        {t('The least certain of them')}
      </Text>
      <ul className="least-certain">
        {reviews.map(({ id, file, candidates: [best] }) => (
          <li key={id}>
            <Text as="span" breakWord>
              {t('{filename} → {product}', {
                filename: file.filename,
                product: best?.product_title ?? '',
              })}
            </Text>
            <Badge>{scoreText(best?.score ?? 0)}</Badge>
          </li>
        ))}
      </ul>
    </BlockStack>
  )
}

/** Undefined: they are being counted. */
const countedText = (known: number | undefined): string =>
  known === undefined
    ? t('Counting …')
    : known === 0
      ? t('No file has a candidate with this score')
      : t(
          '{known, plural, one {# file is attached to its best candidate} other {# files are attached to their best candidate}}',
          { known },
        )
