// The shop's rules about names, in the order in which they are tried.
import { useState } from 'react'
import { parseNamePattern } from '../../../../plugins/_page/name-patterns.ts'
import { lastError } from '../../../shell/client/change.ts'
import { LoadingRows, Nothing } from '../../../shell/components/lists.tsx'
import { LoadProblem } from '../../../shell/components/load-problem.tsx'
import { Page } from '../../../shell/components/page.tsx'
import { Problem } from '../../../shell/components/problem.tsx'
import { t } from '../../../shell/messages/t.ts'
import {
  ArrowDownIcon,
  ArrowUpIcon,
  Badge,
  BlockStack,
  Box,
  Button,
  Card,
  Hint,
  InlineStack,
  Text,
} from '../../../shell/ui/index.ts'
import { type MappingRule, useDeleteRule, useMoveRule, useRules, useSaveRule } from '../calls.ts'
import { DecisionBar, type Decision } from '../decision-bar.tsx'
import { ProductPicture } from '../product-picture.tsx'
import { RuleDialog } from './rule-dialog.tsx'
import { ruleText, targetText } from './rule-text.ts'
import '../../../shell/components/choices.css'

type RuleEdit = { rule: MappingRule | null } | null

export function RulesPage() {
  const rules = useRules()
  const [editing, setEditing] = useState<RuleEdit>(null)
  const [decided, setDecided] = useState<{ decision: Decision; number: number } | null>(null)
  const decide = (decision: Decision) =>
    setDecided((last) => ({ decision, number: (last?.number ?? 0) + 1 }))
  const list = rules.data?.data
  const create = { content: t('Add a rule'), onAction: () => setEditing({ rule: null }) }
  return (
    <Page
      title={t('Mapping rules')}
      subtitle={t('Names of files that always belong to the same product.')}
      backAction={{ content: t('Settings'), url: '/settings' }}
      primaryAction={create}
    >
      <BlockStack gap="400">
        {decided && (
          <DecisionBar
            key={decided.number}
            decision={decided.decision}
            onClose={() => setDecided(null)}
          />
        )}
        <LoadProblem query={rules} what={t('The rules could not be loaded')} />
        {rules.isPending && (
          <Card padding="0">
            <LoadingRows rows={3} what={t('the rules')} />
          </Card>
        )}
        {list?.length === 0 && (
          <Card>
            <Nothing why="new" heading={t('No rules yet')} action={create}>
              {t(
                'A rule says which product files belong to whose names start with a text, contain it, are exactly it, or are like a pattern.',
              )}
            </Nothing>
          </Card>
        )}
        {list && list.length > 0 && (
          <RuleList rules={list} onEdit={(rule) => setEditing({ rule })} onDecided={decide} />
        )}
      </BlockStack>
      {editing && (
        <RuleDialog
          rule={editing.rule}
          start={draftOf(editing.rule)}
          onClose={() => setEditing(null)}
          onSaved={(rule, job) => {
            if (job !== null)
              decide({
                text: t('{rule}: the files that match get the product', { rule: ruleText(rule) }),
                undo: { kind: 'operations', ids: [job] },
              })
          }}
        />
      )}
    </Page>
  )
}

const draftOf = (rule: MappingRule | null) =>
  rule
    ? {
        ...parseNamePattern(rule.pattern),
        sku: rule.sku_template,
        newFiles: rule.new_files,
        product:
          rule.product_id === null
            ? null
            : {
                product_id: rule.product_id,
                variant_id: rule.variant_id,
                title: rule.product_title ?? '',
              },
      }
    : { kind: 'starts' as const, text: '', product: null }

interface ListProps {
  rules: readonly MappingRule[]
  onEdit: (rule: MappingRule) => void
  onDecided: (decision: Decision) => void
}

const RuleList = ({ rules, onEdit, onDecided }: ListProps) => (
  <Card padding="0">
    <ol className="entries" aria-label={t('Mapping rules')}>
      {rules.map((rule, at) => (
        <Entry
          key={rule.id}
          rule={rule}
          place={at + 1}
          last={rules.length}
          onEdit={() => onEdit(rule)}
          onDecided={onDecided}
        />
      ))}
    </ol>
    {rules.length > 1 && (
      <Box padding="400" borderBlockStartWidth="025" borderColor="border-secondary">
        <Hint>{t('The first rule that a name matches counts.')}</Hint>
      </Box>
    )}
  </Card>
)

interface EntryProps {
  rule: MappingRule
  /** The position of the rule, from 1. */
  place: number
  last: number
  onEdit: () => void
  onDecided: (decision: Decision) => void
}

function Entry({ rule, place, last, onEdit, onDecided }: EntryProps) {
  const move = useMoveRule()
  const remove = useDeleteRule()
  const restore = useSaveRule()
  const name = ruleText(rule)
  const error = lastError(move, remove)
  const { id, pattern, product_id, variant_id, sku_template, new_files } = rule
  const target =
    product_id === null ? { sku_template: sku_template ?? '' } : { product_id, variant_id }
  const bringBack = () =>
    restore.mutateAsync({ id: null, rule: { pattern, ...target, new_files, position: place } })
  const drop = async () => {
    const gone = await remove.mutateAsync(id).then(
      () => true,
      () => false,
    )
    if (!gone) return
    const undo = { kind: 'call', run: bringBack } as const
    onDecided({ text: t('The rule was deleted: {rule}', { rule: name }), undo })
  }
  return (
    <li>
      <BlockStack gap="200">
        {error && <Problem error={error} what={t('The rule could not be changed')} />}
        <InlineStack gap="300" blockAlign="center" wrap={false}>
          <ProductPicture title={rule.product_title ?? ''} url={rule.image} />
          <span className="candidate-text">
            <Text as="h2" variant="headingSm" breakWord>
              {name}
            </Text>
            <Text as="span" breakWord>
              {targetText(rule)}
            </Text>
          </span>
          {rule.missing && <Badge tone="warning">{t('The product is gone')}</Badge>}
        </InlineStack>
        <RuleButtons
          rule={rule}
          place={place}
          last={last}
          removing={remove.isPending}
          move={move}
          onEdit={onEdit}
          onDelete={() => void drop()}
        />
      </BlockStack>
    </li>
  )
}

interface ButtonsProps extends Pick<EntryProps, 'rule' | 'place' | 'last' | 'onEdit'> {
  removing: boolean
  move: ReturnType<typeof useMoveRule>
  onDelete: () => void
}

function RuleButtons({ rule, place, last, removing, move, onEdit, onDelete }: ButtonsProps) {
  const { id } = rule
  const name = ruleText(rule)
  return (
    <InlineStack gap="200">
      <Button
        icon={ArrowUpIcon}
        disabled={place === 1 || move.isPending}
        accessibilityLabel={t('Move up: {rule}', { rule: name })}
        onClick={() => move.mutate({ id, position: place - 1 })}
      />
      <Button
        icon={ArrowDownIcon}
        disabled={place === last || move.isPending}
        accessibilityLabel={t('Move down: {rule}', { rule: name })}
        onClick={() => move.mutate({ id, position: place + 1 })}
      />
      <Button accessibilityLabel={t('Change: {rule}', { rule: name })} onClick={onEdit}>
        {t('Change')}
      </Button>
      <Button
        tone="critical"
        variant="plain"
        loading={removing}
        accessibilityLabel={t('Delete: {rule}', { rule: name })}
        onClick={onDelete}
      >
        {t('Delete')}
      </Button>
    </InlineStack>
  )
}
