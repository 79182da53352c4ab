import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { isOfNobody } from '../ingress/source-ranges'
import { dnsPrefixes } from './external-dns-instance'

/**
 * The annotation that has ExternalDNS publish only addresses at which each client finds itself, or nothing. A proxy of Cloudflare answers
 * by itself for hosts that it is given. Source: https://github.com/kubernetes-sigs/external-dns/blob/v0.22.0/source/annotations/processors.go,
 * TargetsFromTargetAnnotation: they replace those of the status
 */
export function deadTargetOf({ root }: Manifest): Cursor | undefined {
  const annotations = root.at('metadata', 'annotations')
  return Object.values(dnsPrefixes)
    .filter((prefix) => annotations.at(`${prefix}cloudflare-proxied`).string !== 'true')
    .map((prefix) => annotations.at(`${prefix}target`))
    .find(({ string = '' }) => {
      const targets = string.split(',').map((target) => target.trim())
      return targets.every(isOfNobody)
    })
}
