// One file, or all files with the same best candidate, with the candidate products.
import { type KeyboardEvent, useState } from 'react'
import { type Candidate, isClear, type Review } from '../calls.ts'
import { type Decision } from '../decision-bar.tsx'
import { variantText } from '../product-labels.ts'
import { ProductPicture } from '../product-picture.tsx'
import { FileIcon } from '../../../shell/files/icon.tsx'
import { Problem } from '../../../shell/components/problem.tsx'
import { actionName } from '../../../shell/labels/action-name.ts'
import { isPlainKey } from '../../../shell/palette/page-keys.ts'
import {
  Badge,
  BlockStack,
  Button,
  Card,
  InlineStack,
  Link,
  Text,
} from '../../../shell/ui/index.ts'
import { scoreText, capitalized } from '../../../shell/labels/size.ts'
import { messageText, reasonText, type ServerText } from '../../../shell/messages/server-text.ts'
import { t } from '../../../shell/messages/t.ts'
import { commonStart } from '../rules/rule-text.ts'
import { useDecide } from './use-decide.ts'

/** What a group of files has in common; absent: one file. */
export interface GroupSummary {
  count: number
  rule: string
  rule_text?: ServerText
  /** Names of some of the other files. */
  others: readonly string[]
}

interface Props {
  review: Review
  alike?: GroupSummary | undefined
  onChoose: () => void
  onRemember: (candidate: Candidate | undefined) => void
  /** Shows each file of the group by itself. */
  onEach: () => void
  onDecided: (decision: Decision) => void
}

const keyOf = ({ product_id, variant_id }: Candidate) => `${product_id} ${variant_id ?? ''}`

export function ReviewCard({ review, alike, onChoose, onRemember, onEach, onDecided }: Props) {
  const { file, candidates } = review
  const { filename } = file
  const count = alike?.count ?? 1
  const decide = useDecide(review, count, onDecided)
  const { accept, reject, error } = decide
  // If candidates have equal scores, none is preselected.
  const [chosen, setChosen] = useState(candidates[0] && isClear(review) ? keyOf(candidates[0]) : '')
  const candidate = candidates.find((one) => keyOf(one) === chosen)
  const busy = decide.accepting || decide.rejecting
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (busy || event.defaultPrevented || !isPlainKey(event.nativeEvent)) return
    const run = actionOf(event, {
      accept: () => candidate && accept(candidate),
      reject,
      choose: (place) => candidates[place] && setChosen(keyOf(candidates[place])),
      each: alike ? onEach : undefined,
    })
    if (!run) return
    event.preventDefault()
    run()
  }
  const label = alike ? t('{count} files like {filename}', { count, filename }) : filename
  return (
    <section
      aria-label={label}
      tabIndex={-1}
      data-review={review.id}
      className="review"
      onKeyDown={onKeyDown}
    >
      <Card>
        <BlockStack gap="400">
          {error && <Problem error={error} what={t('Your answer could not be saved')} />}
          {alike ? <GroupHeading review={review} alike={alike} /> : <FileHeading review={review} />}
          <Candidates
            review={review}
            legend={
              alike ? t('Which product do they belong to?') : t('Which product does it belong to?')
            }
            chosen={chosen}
            onChoose={setChosen}
          />
          <Decisions
            label={label}
            alike={alike}
            candidate={candidate}
            decide={decide}
            onChoose={onChoose}
            onRemember={onRemember}
            onEach={onEach}
          />
        </BlockStack>
      </Card>
    </section>
  )
}

interface CandidatesProps {
  review: Review
  legend: string
  /** The key of the chosen candidate. */
  chosen: string
  onChoose: (key: string) => void
}

const Candidates = ({ review, legend, chosen, onChoose }: CandidatesProps) => (
  <fieldset className="candidates">
    <legend>
      <Text as="span" tone="subdued">
        {legend}
      </Text>
    </legend>
    {review.candidates.map((one) => (
      <CandidateRow
        key={keyOf(one)}
        group={review.id}
        candidate={one}
        chosen={keyOf(one) === chosen}
        onChoose={() => onChoose(keyOf(one))}
      />
    ))}
  </fieldset>
)

interface DecisionsProps extends Pick<Props, 'alike' | 'onChoose' | 'onRemember' | 'onEach'> {
  label: string
  candidate: Candidate | undefined
  decide: ReturnType<typeof useDecide>
}

function Decisions(props: DecisionsProps) {
  const { label, alike, candidate, decide, onChoose, onRemember, onEach } = props
  const { accept, reject, accepting, rejecting } = decide
  const busy = accepting || rejecting
  const all = alike ? t('Accept for all {count}', { count: alike.count }) : t('Accept')
  return (
    <InlineStack gap="200">
      {candidate && (
        <Button
          variant="primary"
          disabled={busy}
          loading={accepting}
          accessibilityLabel={actionName(all, label)}
          onClick={() => accept(candidate)}
        >
          {all}
        </Button>
      )}
      <Button
        disabled={busy}
        accessibilityLabel={actionName(t('Another product'), label)}
        onClick={onChoose}
      >
        {t('Another product')}
      </Button>
      <Button
        disabled={busy}
        loading={rejecting}
        accessibilityLabel={actionName(t('None of them'), label)}
        onClick={reject}
      >
        {t('None of them')}
      </Button>
      {alike && (
        <Button
          disabled={busy}
          accessibilityLabel={actionName(t('One by one'), label)}
          onClick={onEach}
        >
          {t('One by one')}
        </Button>
      )}
      <Button
        variant="plain"
        disabled={busy}
        accessibilityLabel={actionName(t('Remember a rule …'), label)}
        onClick={() => onRemember(candidate)}
      >
        {t('Remember a rule …')}
      </Button>
    </InlineStack>
  )
}

interface Actions {
  accept: () => unknown
  reject: () => void
  choose: (place: number) => unknown
  each: (() => void) | undefined
}

/** Enter presses a button or follows a link that has the focus. */
function actionOf({ key, target }: KeyboardEvent, actions: Actions): (() => unknown) | undefined {
  if (key === 'Enter')
    return (target as HTMLElement).matches('a, button') ? undefined : actions.accept
  if (key === 'x') return actions.reject
  if (key === 'o') return actions.each
  return /^[1-9]$/.test(key) ? () => actions.choose(Number(key) - 1) : undefined
}

const FileHeading = ({ review: { file } }: { review: Review }) => (
  <div className="file-name">
    <FileIcon filename={file.filename} />
    <Text as="h2" variant="headingMd" breakWord>
      <Link url={`/files/${file.id}`} monochrome removeUnderline>
        {file.filename}
      </Link>
    </Text>
  </div>
)

function GroupHeading({ review, alike }: { review: Review; alike: GroupSummary }) {
  const { count, rule, rule_text, others } = alike
  const names = [review.file.filename, ...others]
  const more = count - names.length
  return (
    <BlockStack gap="100">
      <Text as="h2" variant="headingMd" breakWord>
        {t('{start} · {count, plural, one {# file} other {# files}}', {
          start: commonStart(names).text || review.file.filename,
          count,
        })}
      </Text>
      <Text as="p" tone="subdued">
        {messageText({ message: rule, ...(rule_text && { message_text: rule_text }) })}
      </Text>
      <Text as="p" tone="subdued" breakWord>
        {more > 0
          ? t('{names} and {more} more', { names: names.join(', '), more })
          : names.join(', ')}
      </Text>
    </BlockStack>
  )
}

interface RowProps {
  group: string
  candidate: Candidate
  chosen: boolean
  onChoose: () => void
}

function CandidateRow({ group, candidate, chosen, onChoose }: RowProps) {
  const { product_title, variant_title, image, sku, score, reason } = candidate
  return (
    <label className={`candidate ${chosen ? 'chosen' : ''}`}>
      <input type="radio" name={group} checked={chosen} onChange={onChoose} />
      <ProductPicture title={product_title} url={image} />
      <span className="candidate-text">
        <Text as="span" fontWeight="medium" breakWord>
          {product_title}
        </Text>
        <Text as="span" variant="bodySm" tone="subdued" breakWord>
          {[
            variantText(variant_title),
            sku && !reason.includes(sku) && t('SKU {sku}', { sku }),
            capitalized(reasonText(candidate)),
          ]
            .filter(Boolean)
            .join(' · ')}
        </Text>
      </span>
      <Badge tone={score >= 0.9 ? 'success' : undefined}>{scoreText(score)}</Badge>
    </label>
  )
}
