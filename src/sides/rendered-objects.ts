import { identify } from '../manifest/identity'
import type { LoadedObject } from '../manifest/load'
import type { Manifest } from '../manifest/manifest'
import { rendersAsInstalled } from '../render/tools/helm'
import type { HelmSource, Source } from '../sources/source'

/**
 * Whether helm keeps an object in the cluster while the release exists: hooks of tests, rollbacks and uninstallation
 * are created at another time, so an object that becomes such a hook is removed.
 * https://helm.sh/docs/topics/charts_hooks/
 */
export function staysInstalled({ root }: Manifest, source: HelmSource): boolean {
  const written = root.at('metadata', 'annotations', 'helm.sh/hook').string
  // Argo CD takes it for no hook, and Helm has no such hook any more.
  if (written === 'crd-install') return rendersAsInstalled(source)
  return !written || written.split(',').some((hook) => /^\s*(?:pre|post)-(?:install|upgrade)\s*$/.test(hook))
}

/** A release gives its namespace to the objects that name none, and so does an Argo CD Application. */
export function withNamespace(object: LoadedObject, { namespace = '' }: Pick<Source, 'namespace'>): LoadedObject {
  return object.ref.namespace === '' ? inNamespace(object, namespace) : object
}

/** An object with its namespace replaced. */
export function inNamespace(object: LoadedObject, namespace: string): LoadedObject {
  const { kind, name } = object.ref
  return namespace === ''
    ? object
    : { ...object, ref: { ...object.ref, ...identify(object.apiVersion, kind, namespace, name) } }
}
