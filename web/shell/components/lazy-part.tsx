// A part of a page that is loaded when it is first shown. If it cannot be loaded or drawn, the part
// says so in its own place, and the page around it stays as it is, with its selection and drafts.
import { Component, type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react'
import { Banner, Modal, Text } from '../ui/index.ts'
import { t } from '../messages/t.ts'
import { isLoadError, reloadIfReached } from '../url-state/upgraded.ts'

interface PartOptions {
  /** Shown while it is loaded. */
  fallback?: ReactNode
  /** A dialog says in a dialog that it cannot be loaded, and calls the `onClose` of its props. */
  as?: 'dialog' | 'place'
}

/** The component that `load` returns, loaded again each time that a person tries again. */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { fallback = null, as = 'place' }: PartOptions = {},
): ComponentType<Props> {
  // React keeps a failure for ever: another attempt needs another lazy component.
  const attempt = (): ComponentType<object> =>
    lazy(async () => {
      try {
        return { default: (await load()) as ComponentType<object> }
      } catch (error) {
        latest = attempt()
        throw error
      }
    })
  let latest = attempt()
  return function Part(props: Props) {
    const [{ Shown, tries }, set] = useState(() => ({ Shown: latest, tries: 0 }))
    const again = () => set({ Shown: latest, tries: tries + 1 })
    const onClose = 'onClose' in props ? (props.onClose as () => void) : undefined
    return (
      <PartBoundary
        key={tries}
        failed={(error) => (
          <Unloaded error={error} as={as} tries={tries} onAgain={again} onClose={onClose} />
        )}
      >
        <Suspense fallback={fallback}>
          <Shown {...props} />
        </Suspense>
      </PartBoundary>
    )
  }
}

interface BoundaryProps {
  children: ReactNode
  /** What is shown instead of the part. */
  failed: (error: Error) => ReactNode
}

/** Catches an error of a part, so that the page around it is not replaced by it. */
class PartBoundary extends Component<BoundaryProps, { error: Error | null }> {
  override state: { error: Error | null } = { error: null }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override render() {
    const { error } = this.state
    return error ? this.props.failed(error) : this.props.children
  }
}

interface UnloadedProps {
  error: Error
  as: 'dialog' | 'place'
  /** How many times a person has tried again. */
  tries: number
  onAgain: () => void
  onClose: (() => void) | undefined
}

function Unloaded({ error, as, tries, onAgain, onClose }: UnloadedProps) {
  const title = t('A part of the page could not be shown')
  const text = isLoadError(error)
    ? t('It could not be loaded. Check your connection and try again.')
    : error.message
  // After a deployment the part that this page knows is gone: only the page of today has it.
  const action = { content: t('Try again'), onAction: onAgain }
  const reload = {
    content: t('Load the page again'),
    onAction: () => void reloadIfReached(),
  }
  const further = tries > 0 && isLoadError(error) ? [reload] : []
  if (as === 'place' || !onClose)
    return (
      <Banner tone="critical" title={title} action={action} secondaryAction={further[0]}>
        <p>{text}</p>
      </Banner>
    )
  return (
    <Modal
      open
      title={title}
      onClose={onClose}
      primaryAction={action}
      secondaryActions={[...further, { content: t('Cancel'), onAction: onClose }]}
    >
      <Modal.Section>
        <div role="alert">
          <Text as="p">{text}</Text>
        </div>
      </Modal.Section>
    </Modal>
  )
}
