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

type Product = Choice & { title: string }

type RuleDraft = RulePattern & { product: Product | null }

interface Props {
  /** Null: a new rule. */
  rule: MappingRule | null
  start: RuleDraft
  onClose: () => void
  /** `job`: the operation that maps the files which match now; null: none. */
  onSaved: (rule: MappingRule, job: string | null) => void
}

const MAX_TEXT = 100

/** Saves the rule; `apply`: then maps the files that match and never had a product. */
function useRuleSaving({ rule, onClose, onSaved }: Omit<Props, 'start'>) {
  const save = useSaveRule()
  const run = useApplyRule()
  const submit = ({ kind, text }: RulePattern, product: Product, apply: boolean) => {
    const { product_id, variant_id } = product
    const done = (saved: MappingRule, job: string | null) => {
      onSaved(saved, job)
      onClose()
    }
    save.mutate(
      { id: rule?.id ?? null, rule: { kind, text, product_id, variant_id } },
      {
        onSuccess: (saved) => {
          if (!apply) return done(saved, null)
          run.mutate(saved.id, { onSuccess: ({ job_id }) => done(saved, job_id) })
        },
      },
    )
  }
  return {
    submit,
    saving: save.isPending || run.isPending,
    error: save.error ?? run.error,
    problems: problemsOf(objectionsIn(save.error)),
  }
}

export function RuleDialog({ rule, start, onClose, onSaved }: Props) {
  const [kind, setKind] = useState(start.kind)
  const [text, setText] = useState(start.text)
  const [product, setProduct] = useState(start.product)
  const [apply, setApply] = useState(true)
  const [tried, setTried] = useState(false)
  const { submit, saving, error, problems } = useRuleSaving({ rule, onClose, onSaved })
  const written = text.trim()
  const settled = useDebounced(written)
  const counted = useRuleCount({ kind, text: settled })
  const unmapped = settled === written && written !== '' ? (counted.data?.unmapped ?? 0) : 0
  const finish = () => {
    setTried(true)
    if (written === '' || !product) return
    submit({ kind, text: written }, product, apply && unmapped > 0)
  }
  return (
    <Dialog
      title={rule ? t('Change the rule') : t('Remember a rule')}
      onClose={onClose}
      onEnter={finish}
      primaryAction={{
        content: t('Save'),
        loading: saving,
        onAction: finish,
      }}
      secondaryActions={[{ content: t('Cancel'), onAction: onClose }]}
    >
      {error && problems.all.length === 0 && (
        <Problem error={error} what={t('The rule could not be saved')} />
      )}
      <PatternFields
        pattern={{ kind, text }}
        problem={tried && written === '' ? t('Enter a part of the names') : problems.at('text')}
        onKind={setKind}
        onText={setText}
      />
      <Matches pattern={{ kind, text: settled }} />
      <ProductField
        product={product}
        problem={tried && !product ? t('Choose the product') : problems.at('product_id')}
        onChoose={setProduct}
      />
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

interface PatternProps {
  pattern: RulePattern
  problem: string | undefined
  onKind: (kind: RulePattern['kind']) => void
  onText: (text: string) => void
}

const PatternFields = ({ pattern: { kind, text }, problem, onKind, onText }: PatternProps) => (
  <>
    <Select
      label={t('Files whose names')}
      options={[
        { value: 'starts', label: t('start with') },
        { value: 'contains', label: t('contain') },
        { value: 'is', label: t('are exactly') },
      ]}
      value={kind}
      onChange={(value) => onKind(value as RulePattern['kind'])}
    />
    <TextField
      label={t('Text')}
      autoComplete="off"
      maxLength={MAX_TEXT}
      value={text}
      onChange={onText}
      helpText={
        kind === 'is'
          ? t('Upper and lower case are the same. The extension may be left out.')
          : t('Upper and lower case are the same.')
      }
      error={problem}
    />
  </>
)

interface ProductFieldProps {
  product: Product | null
  problem: string | undefined
  onChoose: (product: Product) => void
}

/** The product that was suggested, until another one is to be chosen. */
function ProductField({ product, problem, onChoose }: ProductFieldProps) {
  const [choosing, setChoosing] = useState(product === null)
  return (
    <>
      {problem && (
        <Text as="p" tone="critical">
          {problem}
        </Text>
      )}
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
        <ProductPicker choice={product} onChoose={onChoose} />
      )}
    </>
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
