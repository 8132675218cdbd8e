// The bar for unsaved changes: the admin's own if it has one, otherwise over the end of the page.
import { createElement, type ReactNode, useContext, useEffect, useId } from 'react'
import { createPortal } from 'react-dom'
import { adminSaveBar, type AdminSaveBar } from '../client/bridge.ts'
import { Button, InlineStack, Text } from '../ui/index.ts'
import './form.css'
import { PageEnd } from './page.tsx'
import { t } from '../messages/t.ts'

interface Props {
  /** The form has unsaved changes. */
  dirty: boolean
  /** A record that was never saved, which can be saved unchanged. */
  fresh?: boolean
  saving: boolean
  /** The number of problems that prevent saving. */
  problems: number
  save: string
  onSave: () => void
  onDiscard: () => void
}

export function SaveBar(props: Props) {
  const bar = adminSaveBar()
  // A new form without changes does not show the admin's bar, which would ask before the page is
  // left.
  const unchanged = props.fresh === true && !props.dirty
  return bar && !unchanged ? <InAdmin bar={bar} {...props} /> : <InPage {...props} />
}

const problemsText = (problems: number): string =>
  t('{problems, plural, one {# problem} other {# problems}}', { problems })

function InAdmin({ bar, dirty, saving, problems, save, onSave, onDiscard }: Props & BarProps) {
  const id = useId()
  const shown = dirty || saving
  useEffect(() => {
    if (!shown) return
    void bar.show(id)
    return () => void bar.hide(id)
  }, [bar, id, shown])
  const saves = { variant: 'primary', ...(saving ? { loading: '' } : {}) }
  return (
    <>
      {createElement(
        'ui-save-bar',
        { id },
        <BarButton own={saves} disabled={saving} onClick={onSave}>
          {save}
        </BarButton>,
        <BarButton disabled={saving} onClick={onDiscard}>
          {t('Discard')}
        </BarButton>,
      )}
      <Text as="span" visuallyHidden>
        <span role="status">{problems > 0 ? problemsText(problems) : ''}</span>
      </Text>
    </>
  )
}

interface BarProps {
  bar: AdminSaveBar
}

interface BarButtonProps {
  /** The admin's own attributes. */
  own?: object
  disabled: boolean
  onClick: () => void
  children: ReactNode
}

const BarButton = ({ own = {}, disabled, onClick, children }: BarButtonProps) =>
  createElement('button', { ...own, type: 'button', disabled, onClick }, children)

function InPage({ dirty, fresh = false, saving, problems, save, onSave, onDiscard }: Props) {
  const end = useContext(PageEnd)
  const state =
    problems > 0
      ? problemsText(problems)
      : dirty
        ? t('Unsaved changes')
        : fresh
          ? ''
          : t('No unsaved changes')
  const bar = (
    <div className="save-bar">
      <InlineStack align="space-between" blockAlign="center" gap="300" wrap={false}>
        <Text as="span" tone={problems > 0 ? 'critical' : 'subdued'}>
          <span role="status">{state}</span>
        </Text>
        <InlineStack gap="200" wrap={false}>
          <Button onClick={onDiscard} disabled={(!dirty && !fresh) || saving}>
            {t('Discard')}
          </Button>
          <Button variant="primary" onClick={onSave} loading={saving} disabled={!dirty && !fresh}>
            {save}
          </Button>
        </InlineStack>
      </InlineStack>
    </div>
  )
  return end && createPortal(bar, end)
}
