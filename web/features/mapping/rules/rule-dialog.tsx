// A rule about names: `names that start with WS-` belong to a product. Shows how many files it
// would match now.
import { useState } from 'react'
import { type NamePattern } from '../../../../plugins/_page/name-patterns.ts'
import { Dialog } from '../../../shell/components/dialog.tsx'
import { LoadProblem } from '../../../shell/components/load-problem.tsx'
import { Problem } from '../../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../../shell/components/problems.ts'
import { t } from '../../../shell/messages/t.ts'
import { useDebounced } from '../../../shell/url-state/use-debounced.ts'
import {
  Button,
  Checkbox,
  ChoiceList,
  Hint,
  InlineStack,
  Select,
  Text,
  TextField,
} from '../../../shell/ui/index.ts'
import {
  type Choice,
  type MappingRule,
  type RuleTarget,
  useApplyRule,
  useRuleCount,
  useSaveRule,
} from '../calls.ts'
import { NewFilesSelect, type NewFilesChoice } from '../new-files-select.tsx'
import { ProductPicker } from '../product-picker.tsx'
import { patternOf } from './rule-text.ts'

type Product = Choice & { title: string }

/** `sku`: instead of a product. */
type RuleDraft = NamePattern & {
  product: Product | null
  sku?: string | null
  newFiles?: NewFilesChoice
}

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
  // If it could not be applied, the rule exists nevertheless: it is not created a second time.
  const [id, setId] = useState(rule?.id ?? null)
  const submit = (
    pattern: string,
    target: RuleTarget & { new_files: NewFilesChoice },
    apply: boolean,
  ) => {
    const done = (saved: MappingRule, job: string | null) => {
      onSaved(saved, job)
      onClose()
    }
    run.reset()
    save.mutate(
      { id, rule: { pattern, ...target } },
      {
        onSuccess: (saved) => {
          setId(saved.id)
          if (!apply) return done(saved, null)
          run.mutate(saved.id, { onSuccess: ({ job_id }) => done(saved, job_id) })
        },
      },
    )
  }
  return {
    submit,
    saving: save.isPending || run.isPending,
    error: save.error,
    applyError: run.error,
    problems: problemsOf(objectionsIn(save.error)),
  }
}

export function RuleDialog({ rule, start, onClose, onSaved }: Props) {
  const [kind, setKind] = useState(start.kind)
  const [text, setText] = useState(start.text)
  const [product, setProduct] = useState(start.product)
  const [sku, setSku] = useState(start.sku ?? null)
  const [newFiles, setNewFiles] = useState<NewFilesChoice>(start.newFiles ?? null)
  const [apply, setApply] = useState(true)
  const [tried, setTried] = useState(false)
  const { submit, saving, error, applyError, problems } = useRuleSaving({ rule, onClose, onSaved })
  const pattern = patternOf({ kind, text: text.trim() })
  const settled = useDebounced(pattern)
  const counted = useRuleCount(settled)
  const unmapped = settled === pattern && pattern !== '' ? (counted.data?.unmapped ?? 0) : 0
  const target = targetOf(product, sku)
  const finish = () => {
    setTried(true)
    if (pattern === '' || !target) return
    submit(pattern, { ...target, new_files: newFiles }, apply && unmapped > 0)
  }
  return (
    <Dialog
      title={rule ? t('Change the rule') : t('Remember a rule')}
      onClose={onClose}
      onEnter={finish}
      primaryAction={{ content: t('Save'), loading: saving, onAction: finish }}
    >
      <Unsaved error={error} applyError={applyError} problems={problems} />
      <PatternFields
        rule={{ kind, text }}
        problem={tried && pattern === '' ? t('Enter a part of the names') : problems.at('pattern')}
        onKind={setKind}
        onText={setText}
      />
      <Matches pattern={settled} />
      <TargetFields
        product={product}
        sku={sku}
        problems={problems}
        missing={tried && !target}
        onProduct={setProduct}
        onSku={setSku}
      />
      <NewFilesSelect
        label={t('Give the files to past buyers of the product')}
        usual={t('As the product or the shop says')}
        value={newFiles}
        onChange={setNewFiles}
      />
      {unmapped > 0 && <ApplyNow count={unmapped} checked={apply} onChange={setApply} />}
      <Hint>
        {t(
          'Each import applies the rule, unless it names a SKU. You can change and delete it in the settings, under Mapping rules.',
        )}
      </Hint>
    </Dialog>
  )
}

type UnsavedProps = Pick<ReturnType<typeof useRuleSaving>, 'error' | 'applyError' | 'problems'>

/** Why the rule was not saved, or not applied. */
const Unsaved = ({ error, applyError, problems }: UnsavedProps) => (
  <>
    {error && problems.all.length === 0 && (
      <Problem error={error} what={t('The rule could not be saved')} />
    )}
    {applyError && (
      <Problem
        error={applyError}
        what={t('The rule is saved, but the files could not be attached')}
      />
    )}
  </>
)

interface ApplyProps {
  count: number
  checked: boolean
  onChange: (checked: boolean) => void
}

const ApplyNow = ({ count, ...box }: ApplyProps) => (
  <Checkbox
    {...box}
    label={t('Attach {count, plural, one {the # file} other {the # files}} without a product now', {
      count,
    })}
  />
)

interface PatternProps {
  rule: NamePattern
  problem: string | undefined
  onKind: (kind: NamePattern['kind']) => void
  onText: (text: string) => void
}

const PatternFields = ({ rule: { kind, text }, problem, onKind, onText }: PatternProps) => (
  <>
    <Select
      label={t('Files whose names')}
      options={[
        { value: 'starts', label: t('start with') },
        { value: 'contains', label: t('contain') },
        { value: 'is', label: t('are exactly') },
        { value: 'pattern', label: t('are like a pattern') },
      ]}
      value={kind}
      onChange={(value) => onKind(value as NamePattern['kind'])}
    />
    <TextField
      label={kind === 'pattern' ? t('Pattern') : t('Text')}
      maxLength={MAX_TEXT}
      value={text}
      onChange={onText}
      placeholder={kind === 'pattern' ? t('*_workbook') : undefined}
      helpText={helpOf(kind)}
      error={problem}
    />
  </>
)

/** The target of the rule; null if neither a product nor a SKU is chosen. */
function targetOf(product: Product | null, sku: string | null): RuleTarget | null {
  if (sku !== null) return sku.trim() === '' ? null : { sku_template: sku.trim() }
  return product && { product_id: product.product_id, variant_id: product.variant_id }
}

function helpOf(kind: NamePattern['kind']): string {
  if (kind === 'pattern')
    return t('* is any text. Upper and lower case are the same. The extension may be left out.')
  return kind === 'is'
    ? t('Upper and lower case are the same. The extension may be left out.')
    : t('Upper and lower case are the same.')
}

interface TargetFieldsProps {
  product: Product | null
  /** Null: the rule names a product. */
  sku: string | null
  problems: ReturnType<typeof problemsOf>
  missing: boolean
  onProduct: (product: Product) => void
  onSku: (sku: string | null) => void
}

function TargetFields({ product, sku, problems, missing, onProduct, onSku }: TargetFieldsProps) {
  return (
    <>
      <ChoiceList
        title={t('They belong to')}
        choices={[
          { value: 'product', label: t('One product') },
          { value: 'sku', label: t('The product whose SKU is in the name') },
        ]}
        selected={[sku === null ? 'product' : 'sku']}
        onChange={([way]) => onSku(way === 'sku' ? '{1}' : null)}
      />
      {sku === null ? (
        <ProductField
          product={product}
          problem={missing ? t('Choose the product') : problems.at('product_id')}
          onChoose={onProduct}
        />
      ) : (
        <TextField
          label={t('SKU')}
          maxLength={255}
          value={sku}
          onChange={onSku}
          helpText={t(
            '{first} is what the first * of the pattern stands for, or what comes after the text: WS-{first}',
            { first: '{1}' },
          )}
          error={missing ? t('Enter a SKU') : problems.at('sku_template')}
        />
      )}
    </>
  )
}

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
            {product.title}
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

function Matches({ pattern }: { pattern: string }) {
  const counted = useRuleCount(pattern)
  if (pattern === '') return null
  if (counted.error)
    return <LoadProblem query={counted} what={t('The files could not be counted')} />
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
