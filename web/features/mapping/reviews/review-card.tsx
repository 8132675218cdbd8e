// One file with its candidate products.
import { useState } from 'react'
import { toast } from '../../../shell/client/bridge.ts'
import { type Candidate, isClear, type Review, useAccept, useReject } from '../calls.ts'
import { FileIcon } from '../../../shell/files/icon.tsx'
import { Problem } from '../../../shell/components/problem.tsx'
import { ProductPicture } from '../product-picture.tsx'
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
import { serverText } from '../../../shell/messages/server-templates.ts'
import { t } from '../../../shell/messages/t.ts'

interface Props {
  review: Review
  onChoose: () => void
}

const keyOf = ({ product_id, variant_id }: Candidate) => `${product_id} ${variant_id ?? ''}`

export function ReviewCard({ review, onChoose }: Props) {
  const { file, candidates } = review
  const { filename } = file
  const accept = useAccept()
  const reject = useReject()
  // If candidates have equal scores, none is preselected.
  const [chosen, setChosen] = useState(candidates[0] && isClear(review) ? keyOf(candidates[0]) : '')
  const candidate = candidates.find((one) => keyOf(one) === chosen)
  const busy = accept.isPending || reject.isPending
  const error = accept.error ?? reject.error
  return (
    <section aria-label={filename}>
      <Card>
        <BlockStack gap="400">
          {error && <Problem error={error} what={t('Your answer could not be saved')} />}
          <div className="file-name">
            <FileIcon filename={filename} />
            <Text as="h2" variant="headingMd" breakWord>
              <Link url={`/files/${file.id}`} monochrome removeUnderline>
                {filename}
              </Link>
            </Text>
          </div>
          <fieldset className="candidates">
            <legend>
              <Text as="span" tone="subdued">
                {t('Which product does it belong to?')}
              </Text>
            </legend>
            {candidates.map((one) => (
              <CandidateRow
                key={keyOf(one)}
                group={review.id}
                candidate={one}
                chosen={keyOf(one) === chosen}
                onChoose={() => setChosen(keyOf(one))}
              />
            ))}
          </fieldset>
          <InlineStack gap="200">
            <Button
              variant="primary"
              disabled={!candidate || busy}
              loading={accept.isPending}
              accessibilityLabel={t('Accept for {filename}', { filename })}
              onClick={() =>
                candidate &&
                accept.mutate(
                  { review, choice: candidate },
                  {
                    onSuccess: () =>
                      toast(
                        t('{filename} is attached to {title}', {
                          filename,
                          title: candidate.product_title,
                        }),
                      ),
                  },
                )
              }
            >
              {t('Accept')}
            </Button>
            <Button
              disabled={busy}
              accessibilityLabel={t('Choose another product for {filename}', { filename })}
              onClick={onChoose}
            >
              {t('Another product')}
            </Button>
            <Button
              disabled={busy}
              loading={reject.isPending}
              accessibilityLabel={t('Reject for {filename}', { filename })}
              onClick={() =>
                reject.mutate(review.id, {
                  onSuccess: () => toast(t('{filename} stays without a product', { filename })),
                })
              }
            >
              {t('None of them')}
            </Button>
          </InlineStack>
        </BlockStack>
      </Card>
    </section>
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
            variant_title,
            sku && !reason.includes(sku) && t('SKU {sku}', { sku }),
            capitalized(serverText(reason)),
          ]
            .filter(Boolean)
            .join(' · ')}
        </Text>
      </span>
      <Badge tone={score >= 0.9 ? 'success' : undefined}>{scoreText(score)}</Badge>
    </label>
  )
}
