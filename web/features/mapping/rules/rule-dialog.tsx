// A rule about names: `names that start with WS-` belong to a product. Shows how many files it
// would match now.
import { useState } from 'react'
import { Dialog } from '../../../shell/components/dialog.tsx'
import { Problem } from '../../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../../shell/components/problems.ts'
import { t } from '../../../shell/messages/t.ts'
import { useDebounced } from '../../../shell/url-state/use-debounced.ts'
import { Button, Checkbox, InlineStack, Select, Text, TextField } from '../../../shell/ui/index.ts'
import {
  type Choice,
  type MappingRule,
  type RulePattern,
  useApplyRule,
  useRuleCount,
  useSaveRule,
} from '../calls.ts'
import { ProductPicker } from '../product-picker.tsx'

export type RuleDraft = RulePattern & { product: (Choice & { title: string }) | null }

interface Props {
  /** Null: a new rule. */
  rule: MappingRule | null
  start: RuleDraft
  onClose: () => void
  /** `job`: the operation that maps the files which match now; null: none. */
  onSaved: (rule: MappingRule, job: string | null) => void
}

const MAX_TEXT = 100

export function RuleDialog({ rule, start, onClose, onSaved }: Props) {
  const [kind, setKind] = useState(start.kind)
  const [text, setText] = useState(start.text)
  const [product, setProduct] = useState(start.product)
  const [choosing, setChoosing] = useState(start.product === null)
  const [apply, setApply] = useState(true)
  const [tried, setTried] = useState(false)
  const save = useSaveRule()
  const run = useApplyRule()
  const written = text.trim()
  const settled = useDebounced(written)
  const counted = useRuleCount({ kind, text: settled })
  const unmapped = settled === written && written !== '' ? (counted.data?.unmapped ?? 0) : 0
  const error = save.error ?? run.error
  const problems = problemsOf(objectionsIn(save.error))
  const submit = () => {
    setTried(true)
    if (written === '' || !product) return
    const { product_id, variant_id } = product
    save.mutate(
      { id: rule?.id ?? null, rule: { kind, text: written, product_id, variant_id } },
      {
        onSuccess: (saved) => {
          if (!apply || unmapped === 0) {
            onSaved(saved, null)
            return onClose()
          }
          run.mutate(saved.id, {
            onSuccess: ({ job_id }) => {
              onSaved(saved, job_id)
              onClose()
            },
          })
        },
      },
    )
  }
  return (
    <Dialog
      title={rule ? t('Change the rule') : t('Remember a rule')}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{
        content: t('Save'),
        loading: save.isPending || run.isPending,
        onAction: submit,
      }}
      secondaryActions={[{ content: t('Cancel'), onAction: onClose }]}
    >
      {error && problems.all.length === 0 && (
        <Problem error={error} what={t('The rule could not be saved')} />
      )}
      <Select
        label={t('Files whose names')}
        options={[
          { value: 'starts', label: t('start with') },
          { value: 'contains', label: t('contain') },
          { value: 'is', label: t('are exactly') },
        ]}
        value={kind}
        onChange={(value) => setKind(value as RulePattern['kind'])}
      />
      <TextField
        label={t('Text')}
        autoComplete="off"
        maxLength={MAX_TEXT}
        value={text}
        onChange={setText}
        helpText={
          kind === 'is'
            ? t('Upper and lower case are the same. The extension may be left out.')
            : t('Upper and lower case are the same.')
        }
        error={tried && written === '' ? t('Enter a part of the names') : problems.at('text')}
      />
      <Matches pattern={{ kind, text: settled }} />
      {product && !choosing ? (
        <InlineStack gap="200" blockAlign="center">
          <Text as="span" breakWord>
            {t('belong to {product}', { product: product.title })}
          </Text>
          <Button variant="plain" onClick={() => setChoosing(true)}>
            {t('Another product')}
          </Button>
        </InlineStack>
      ) : (
        <>
          {tried && !product && (
            <Text as="p" tone="critical">
              {t('Choose the product')}
            </Text>
          )}
          <ProductPicker choice={product} onChoose={setProduct} />
        </>
      )}
      {problems.at('product_id') && (
        <Text as="p" tone="critical">
          {problems.at('product_id')}
        </Text>
      )}
      {unmapped > 0 && (
        <Checkbox
          label={t(
            'Attach {count, plural, one {the # file} other {the # files}} without a product now',
            { count: unmapped },
          )}
          checked={apply}
          onChange={setApply}
        />
      )}
      <Text as="p" tone="subdued">
        {t(
          'Each import applies the rule, unless it names a SKU. You can change and delete it in the settings, under Mapping rules.',
        )}
      </Text>
    </Dialog>
  )
}

function Matches({ pattern }: { pattern: RulePattern }) {
  const counted = useRuleCount(pattern)
  if (pattern.text === '') return null
  if (counted.error)
    return <Problem error={counted.error} what={t('The files could not be counted')} />
  return (
    <Text as="p">
      <span role="status">{counted.data ? countText(counted.data) : t('Counting …')}</span>
    </Text>
  )
}

function countText({ files, examples }: { files: number; examples: readonly string[] }): string {
  if (files === 0) return t('No file has such a name now')
  return t('{files, plural, one {# file has} other {# files have}} such a name now: {names}', {
    files,
    names: examples.join(', ') + (files > examples.length ? ' …' : ''),
  })
}
