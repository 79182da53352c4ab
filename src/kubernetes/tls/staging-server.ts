/**
 * The directories of certificate authorities for tests: clients trust none of their certificates. Sources:
 * https://letsencrypt.org/docs/staging-environment/ (`acme-staging` is its former one) and
 * https://cloud.google.com/certificate-manager/docs/public-ca-tutorial
 */
const hosts = [
  'acme-staging-v02.api.letsencrypt.org',
  'acme-staging.api.letsencrypt.org',
  'dv.acme-v02.test-api.pki.goog',
]

/** Whether an ACME server issues certificates for tests alone. */
export function isStagingServer(url: string): boolean {
  return hosts.some((host) => url.startsWith(`https://${host}/`))
}
