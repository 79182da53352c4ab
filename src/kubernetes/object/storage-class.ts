import type { Manifest } from '../../manifest/manifest'

export const storageClassKind = 'StorageClass.storage.k8s.io'

/** Source: https://kubernetes.io/docs/tasks/administer-cluster/change-default-storage-class/ */
export const defaultClassMark = 'storageclass.kubernetes.io/is-default-class'

/** Whether claims without a class get this one. */
export function isDefaultStorageClass({ root }: Manifest): boolean {
  const annotations = root.at('metadata', 'annotations')
  // The API server still respects the older name: pkg/apis/storage/util/helpers.go, IsDefaultAnnotation.
  return [defaultClassMark, 'storageclass.beta.kubernetes.io/is-default-class'].some(
    (mark) => annotations.at(mark).string === 'true',
  )
}
