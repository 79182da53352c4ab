/** The parts of an image's name. */
export interface Image {
  /** With the registry: `quay.io/kubernetes-ingress-controller/nginx-ingress-controller`. */
  readonly repository: string
  /** None when only a digest names the image, or nothing does. */
  readonly tag: string | undefined
}

/** Reads `registry:port/path:tag@digest`. */
export function parseImage(name: string): Image {
  const [named = ''] = name.trim().split('@')
  // A colon before the last slash is the registry's port.
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1)
  if (colon === -1) return { repository: named, tag: undefined }
  return { repository: named.slice(0, colon), tag: named.slice(colon + 1) || undefined }
}

/**
 * The release of a tag, `0.35.0`: for `0.35.0`, `v0.35.0`, `nginx-0.35.0-rancher2`, `0.35.0-debian-10-r3`. None for
 * `latest`, for a tag without three numbers, and for prereleases (`v1.0.0-beta.3`, `v3.7.0-ea.2`).
 */
export function releaseOf({ tag }: Image): string | undefined {
  const match = tag?.match(/^(?:[a-z]+-)?v?(\d+\.\d+\.\d+)(?:$|[-+_](?!alpha|beta|rc|snapshot|(?:ea|pre)(?![a-z])))/i)
  return match?.[1]
}

/** The first release of the minor that a tag follows, `3.5.0` for `3.5`: for statements about the whole minor. */
export function minorReleaseOf({ tag }: Image): string | undefined {
  const match = tag?.match(/^v?(\d+\.\d+)(?:$|-(?!alpha|beta|rc|snapshot|(?:ea|pre)(?![a-z])))/i)
  return match ? `${match[1]}.0` : undefined
}
